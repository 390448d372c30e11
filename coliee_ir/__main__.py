"""``python -m coliee_ir`` is ``coliee-ir``."""

import sys

from coliee_ir.cli import main

sys.exit(main())
