import type { Hex } from '../../../../base/hex.ts'
import type { CallNode, StepRow, StepView } from '../../../browser/step/stepper.ts'
import type { InternalCallList } from '../../sources/internal-call-list.ts'
import type { SourceFile, SourcePosition } from '../../sources/run-sources.ts'
import type { VariableScope } from '../../sources/step-scope.ts'
import type { StepVariables } from '../../sources/step-variables.ts'
import type { LinePlaces } from './breakpoint.ts'

/**
 * Executed code. Its address and whether it is creation code identify it: a created contract's init code differs from
 * the code it leaves.
 */
export interface ExecutedCode {
  readonly codeAddress: Hex
  readonly codeHash: Hex
}

/** Maps the code of a run to sources. */
export interface SourceIndex {
  readonly files: readonly SourceFile[]
  /** Returns the line that the user wrote for a step; undefined if it is unknown. */
  positionAt(step: StepView): Promise<SourcePosition | undefined>
  /** Returns the line that the user wrote for an instruction, as `path:line`; undefined for one that the compiler inserted. */
  lineOf(row: StepRow): string | undefined
  hasSource(frame: CallNode): boolean
  /** Returns the internal functions that ran. They are read from the run once. */
  internalCalls(): Promise<InternalCallList>
  /** Returns the position of an instruction of a frame. */
  positionIn(frame: CallNode, pc: number): SourcePosition | undefined
  /** Returns the variables of the function of a step, with their values at it. */
  variablesAt(step: StepView): Promise<StepVariables>
  /** Returns the names of variables that are known at a step. */
  scopeAt(step: StepView): Promise<VariableScope>
  readonly placesOf: LinePlaces
  /** Returns instructions of a code on other lines than that of `from`; undefined if its source is unknown. */
  otherLines(
    code: ExecutedCode,
    from: SourcePosition,
  ): { readonly codeAddress: Hex; readonly pcs: readonly number[] } | undefined
}
