import type { CallNode, InternalCall, Stepper, StepView } from '../../browser/step/stepper.ts'
import { type AstIndex, kindOfNode } from '../decode/solc/ast-index.ts'
import { type LocalValue, localValue } from '../decode/solc/local-value.ts'
import { variablesAt } from '../decode/solc/local-variables.ts'
import type { InternalCallList } from './internal-call-list.ts'
import type { RunSources } from './run-sources.ts'

/** The variables of the current function, or why they are unknown. */
export type StepVariables =
  | {
      readonly kind: 'known'
      readonly functionName: string
      readonly values: readonly LocalValue[]
      /** The optimizer may move values while it computes. */
      readonly isOptimized: boolean
    }
  | { readonly kind: 'unknown'; readonly why: string }

export interface VariablesRun {
  readonly stepper: Pick<Stepper, 'step' | 'linePc'>
  readonly calls: readonly CallNode[]
  readonly sources: RunSources
}

const unknown = (why: string): StepVariables => ({ kind: 'unknown', why })

/** Returns the parameters, results and locals of the function of a step, with their values at it. */
export async function stepVariables(
  run: VariablesRun,
  internal: InternalCallList,
  step: StepView,
): Promise<StepVariables> {
  const { sources, stepper } = run
  const known = sources.codeOf(step.codeHash)
  if (known === undefined) return unknown('The source of this code is not known.')
  const { artifact } = known.match
  if (artifact.pipeline.viaIR !== false) {
    return unknown(
      artifact.pipeline.viaIR === undefined
        ? 'The compiler’s output does not say by which pipeline it was made: drop the metadata or the build info too.'
        : 'The code was compiled through Yul (viaIR), whose output does not say where variables are.',
    )
  }
  const inner = internal.at(step.index, step.call)
  if (inner === undefined) return unknown('This step is in no function of the source.')
  const index = known.places.astIndex
  const entry = known.places.at(inner.pc)
  const definition = entry && index.functionAt(entry.path, entry.start)
  if (entry === undefined || kindOfNode(definition) !== 'FunctionDefinition') {
    return unknown('This function has no definition in the source: the compiler made it.')
  }
  const marks = sources.marksOf(step.codeHash)
  const linePc =
    marks !== undefined && sources.isGenerated(step)
      ? ((await stepper.linePc(step.index, marks)) ?? step.pc)
      : step.pc
  const at = known.places.at(linePc) ?? entry
  const values = await valuesOf(run, inner, step, index, definition, at)
  return {
    kind: 'known',
    functionName: entry.functionName ?? 'function',
    values,
    isOptimized: artifact.pipeline.isOptimized,
  }
}

async function valuesOf(
  { stepper }: VariablesRun,
  inner: InternalCall,
  step: StepView,
  index: AstIndex,
  definition: unknown,
  at: { readonly path: string; readonly start: number },
): Promise<readonly LocalValue[]> {
  const { variables, parameterSize } = variablesAt(index, definition, at.path, at.start)
  const entered = await stepper.step(inner.firstStep)
  const base = entered.stack.length - parameterSize
  return variables
    .map((variable) => localValue(variable, base, step, index))
    .filter((value) => value !== undefined)
}
