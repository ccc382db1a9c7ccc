import type { Comparison } from '../../../browser/compare/comparison.ts'
import type { WhatIfRun } from '../../state/debug/what-if-run.ts'
import { StepLink } from './step-link.tsx'

interface Props {
  readonly run: WhatIfRun
  readonly comparison: Comparison
}

/** The steps at which two runs first differ, as links into the runs. */
export function Divergence({ run, comparison: { machine, path, rejoin, gas } }: Props) {
  const link = (side: 'original' | 'edited', step: number) => (
    <StepLink location={run.location} side={side} step={step} />
  )
  return (
    <ul class="parting" aria-label="Where the runs diverge">
      {machine !== undefined && (
        <li>
          The machine state first differs at {link('original', machine.step)},{' '}
          {link('edited', machine.step)}: {machineText(machine)}.
        </li>
      )}
      {path === undefined ? (
        <li>They execute the same instructions.</li>
      ) : (
        <li>
          The runs diverge at{' '}
          {path[0] === undefined ? 'the end of the original' : link('original', path[0])},{' '}
          {path[1] === undefined ? 'the end of the changed run' : link('edited', path[1])}.
        </li>
      )}
      {rejoin !== undefined && (
        <li>
          They rejoin at {link('original', rejoin[0])}, {link('edited', rejoin[1])}.
        </li>
      )}
      {gas !== undefined && (
        <li>
          The remaining gas first differs at {link('original', gas)}, {link('edited', gas)}.
        </li>
      )}
    </ul>
  )
}

function machineText({
  stack,
  stackHeight,
  memorySize,
}: NonNullable<Comparison['machine']>): string {
  if (stackHeight[0] !== stackHeight[1]) return `${stackHeight.join(' or ')} words on the stack`
  if (stack.length > 0) return `different word ${stack.join(', ')} of the stack`
  return `${memorySize.join(' or ')} bytes of memory`
}
