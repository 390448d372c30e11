"""What functions of ``coliee_ir`` take and give, by name, for annotations; few users need it."""

from coliee_adapters.corpora import Corpus as Corpus, Document as Document, Query as Query
from coliee_adapters.layouts import Layout as Layout, Part as Part
from coliee_adapters.records import Columns as Columns, GoldLike as GoldLike, RunLike as RunLike
from coliee_adapters.remarks import Remark as Remark, Remarks as Remarks
from coliee_adapters.system_descriptions import Description as Description
from coliee_ir.commands.compare import (
    Comparison as Comparison,
    Interval as Interval,
    Pair as Pair,
    Standing as Standing,
)
from coliee_ir.commands.compare.comparison import Pairs as Pairs
from coliee_ir.commands.compare.golds import (
    Agreement as Agreement,
    Coverage as Coverage,
    TwoGolds as TwoGolds,
    Verdicts as Verdicts,
    VerdictTable as VerdictTable,
)
from coliee_ir.commands.evaluate.details import (
    Details as Details,
    Gap as Gap,
    Labelled as Labelled,
    Shared as Shared,
    gap as gap,
    overlap as overlap,
)
from coliee_ir.commands.evaluate.errors import Errors as Errors, Outcome as Outcome
from coliee_ir.commands.fuse.fitting import Contender as Contender, FittedFusion as FittedFusion
from coliee_ir.commands.fuse import Fused as Fused
from coliee_ir.commands.leaderboard import (
    Categories as Categories,
    Entry as Entry,
    Invalid as Invalid,
    Leaderboard as Leaderboard,
    Ranks as Ranks,
)
from coliee_ir.commands.plan import Plan as Plan, PlannedSize as PlannedSize
from coliee_ir.commands.report import Report as Report
from coliee_ir.commands.tune import Tuning as Tuning
from coliee_ir.commands.tune.result import Shifted as Shifted, Tried as Tried
from coliee_ir.commands.tune.rules import Pool as Pool
from coliee_ir.commands.validate import (
    Finding as Finding,
    Place as Place,
    Severity as Severity,
    Validation as Validation,
)
from coliee_ir.inbox import Runs as Runs
from coliee_ir.inbox.teams import Teams as Teams
from coliee_ir.judging.judged import Judged as Judged, judge as judge
from coliee_ir.judging.qrels import Qrels as Qrels
from coliee_ir.measures.base import Measure as Measure, Result as Result, Terms as Terms
from coliee_ir.measures.ties import Span as Span
from coliee_ir.output.grid import Grid as Grid, Number as Number
from coliee_ir.reading.basis import Basis as Basis
from coliee_ir.rules.protocol import PROTOCOLS as PROTOCOLS, Protocol as Protocol
from coliee_ir.scoring.scores import Timing as Timing
from coliee_ir.stats.agreement import Estimate as Estimate
from coliee_ir.stats.folds import BestOf as BestOf
from coliee_ir.stats.resampling import Difference as Difference, Resampling as Resampling
