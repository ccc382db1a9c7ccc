import type { TransactionFacts } from '../../../browser/facts.ts'
import type { DebuggedRun } from './debugged-run.ts'
import type { Debugger } from './debugger.ts'
import type { WhatIf } from './what-if.ts'

/** A run with changes. */
export interface EditedRun extends DebuggedRun {
  readonly debug: Debugger
  close(): void
}

/** A run that can be repeated with changes. */
export interface WhatIfRun extends DebuggedRun {
  readonly debug: Debugger
  readonly transaction: TransactionFacts
  readonly whatIf: WhatIf<EditedRun> | undefined
}

/** Returns the run that the debugger shows: the original or the edited one. */
export function shownRun(run: WhatIfRun): DebuggedRun & { readonly debug: Debugger } {
  const isEdited = run.location.view.value.side === 'edited'
  return (isEdited ? run.whatIf?.edited.value : undefined) ?? run
}
