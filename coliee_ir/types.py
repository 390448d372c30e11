"""What functions of ``coliee_ir`` take and give, by name, for annotations; few users need it."""

from coliee_adapters.corpora import Corpus, DocsStore, Document, FragmentQuery, Qrel, Query
from coliee_adapters.descriptions.system_description import Description
from coliee_adapters.layouts import Layout, Part
from coliee_adapters.records import Columns, GoldLike, RunLike
from coliee_adapters.remarks import Remark, Remarks
from coliee_ir.commands.compare import Comparison, Interval, Pair, Standing
from coliee_ir.commands.evaluate.errors import Errors, Outcome
from coliee_ir.commands.fuse.fitting import Contender, FittedFusion
from coliee_ir.commands.fuse.recipe import Fused
from coliee_ir.commands.leaderboard import Categories, Entry, Invalid, Leaderboard, OfficialRun, Published, Ranks
from coliee_ir.commands.plan import Plan, PlannedSize
from coliee_ir.commands.report import Report
from coliee_ir.commands.tune import Tuning
from coliee_ir.commands.tune.pool import Pool
from coliee_ir.commands.tune.result import Tried
from coliee_ir.commands.validate import Finding, Place, Severity, Validation
from coliee_ir.inbox.teams import Teams
from coliee_ir.judging.judged import Judged, judge
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures.base import Measure, Result, Terms
from coliee_ir.measures.ties import Span
from coliee_ir.output.grid import Grid, Number
from coliee_ir.rules.protocol import PROTOCOLS, Protocol
from coliee_ir.scoring.scores import Timing
from coliee_ir.scoring.store import ScoreStore
from coliee_ir.stats.folds import BestOf
from coliee_ir.stats.resampling import Difference
from coliee_ir.stats.settings import Resampling

__all__ = [
    "PROTOCOLS",
    "BestOf",
    "Categories",
    "Columns",
    "Comparison",
    "Contender",
    "Corpus",
    "Description",
    "Difference",
    "DocsStore",
    "Document",
    "Entry",
    "Errors",
    "Finding",
    "FittedFusion",
    "FragmentQuery",
    "Fused",
    "GoldLike",
    "Grid",
    "Interval",
    "Invalid",
    "Judged",
    "Layout",
    "Leaderboard",
    "Measure",
    "Number",
    "OfficialRun",
    "Outcome",
    "Pair",
    "Part",
    "Place",
    "Plan",
    "PlannedSize",
    "Pool",
    "Protocol",
    "Published",
    "Qrel",
    "Qrels",
    "Query",
    "Ranks",
    "Remark",
    "Remarks",
    "Report",
    "Resampling",
    "Result",
    "RunLike",
    "ScoreStore",
    "Severity",
    "Span",
    "Standing",
    "Teams",
    "Terms",
    "Timing",
    "Tried",
    "Tuning",
    "Validation",
    "judge",
]
