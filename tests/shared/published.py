"""Published figures that several tests start from."""

# accuracies: edition, task, run, right, questions, as printed
ACCURACIES = """
2021 4 BaseLine                         43 81 0.5309
2021 4 HUKB-2                           57 81 0.7037
2021 4 HUKB-1                           55 81 0.6790
2021 4 UA-parser                        54 81 0.6667
2021 4 JNLP.Enss5Ca                     51 81 0.6296
2021 4 OVGU-run3                        48 81 0.5926
2021 4 OVGU-run2                        45 81 0.5556
2021 4 KIS1                             44 81 0.5432
2021 4 TR-Electra                       41 81 0.5062
2021 4 OVGU-run1                        36 81 0.4444
2021 5 BaseLine                         43 81 0.5309
2021 5 JNLP.NFSP                        49 81 0.6049
2021 5 UA-parser                        46 81 0.5679
2021 5 JNLP.NMSP                        45 81 0.5556
2021 5 TRDistillRoberta                 44 81 0.5432
2021 5 KIS-2                            41 81 0.5062
2021 5 UA-elmo                          40 81 0.4938
2021 5 JNLP.Task5.BERT                  38 81 0.4691
2021 5 KIS-1                            35 81 0.4321
2026 4 DU2                              79 82 0.963
"""
