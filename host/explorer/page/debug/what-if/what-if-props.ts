import type { WhatIf } from '../../state/debug/what-if.ts'
import type { EditedRun, WhatIfRun } from '../../state/debug/what-if-run.ts'

export interface WhatIfProps {
  readonly run: WhatIfRun
  readonly whatIf: WhatIf<EditedRun>
}
