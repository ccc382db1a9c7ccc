import type { WhatIf } from './what-if.ts'
import type { EditedRun, WhatIfRun } from './what-if-run.ts'

export interface WhatIfProps {
  readonly run: WhatIfRun
  readonly whatIf: WhatIf<EditedRun>
}
