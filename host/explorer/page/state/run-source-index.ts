import type { CallNode, Stepper } from '../../browser/step/stepper.ts'
import { InternalCallList } from '../sources/internal-call-list.ts'
import type { RunSources } from '../sources/run-sources.ts'
import { stepPosition } from '../sources/step-position.ts'
import { variableScope } from '../sources/step-scope.ts'
import { stepVariables } from '../sources/step-variables.ts'
import type { SourceIndex } from './debug/source-index.ts'

/** A run with the sources of its code. */
export interface SourceIndexOptions {
  readonly stepper: Pick<Stepper, 'step' | 'rows' | 'linePc' | 'internalCalls'>
  readonly calls: readonly CallNode[]
  readonly sources: RunSources
}

/** Maps the code of a run to its sources. */
export function sourceIndexOf(run: SourceIndexOptions): SourceIndex {
  const { stepper, calls, sources } = run
  let internal: Promise<InternalCallList> | undefined
  const internalCalls = () => {
    internal ??= stepper.internalCalls(sources.marks()).then((all) => new InternalCallList(all))
    return internal
  }
  const positionIn: SourceIndex['positionIn'] = (frame, pc) => {
    const codeHash = sources.codeHashOf(frame)
    const position = codeHash && sources.positionOf({ codeHash, pc })
    return codeHash !== undefined && sources.isGenerated({ codeHash, pc }) ? undefined : position
  }
  return {
    files: sources.files,
    positionAt: (step) => stepPosition(run, step),
    lineOf: ({ call, pc }) => {
      const frame = calls[call]
      const position = frame && positionIn(frame, pc)
      return position && `${position.path}:${position.line}`
    },
    hasSource: (frame) => sources.codeHashOf(frame) !== undefined,
    internalCalls,
    positionIn,
    variablesAt: async (step) => stepVariables(run, await internalCalls(), step),
    scopeAt: async (step) =>
      variableScope(run, step, await stepVariables(run, await internalCalls(), step)),
    placesOf: sources.placesOf,
    otherLines: (code, from) => sources.otherLines(code, from),
  }
}
