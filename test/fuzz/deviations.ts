import type { Revision } from '../../host/evm/chain-types/revision.ts'
import type { Difference } from './result.ts'

/** A difference in which EthereumJS 10.1.3 is not the reference. */
export interface Deviation {
  readonly name: string
  readonly reason: string
  /** The rule that Lockstep follows. */
  readonly rule: string
  explains(difference: Difference, revision: Revision): boolean
}

const REVERT = 0xfd

export const DEVIATIONS: readonly Deviation[] = [
  {
    name: 'no step for a REVERT that lacks words',
    reason: 'its step hook reads the two words first, and fails before it has reported the step',
    rule: 'EIP-3155: every operation has a line, also one that fails',
    explains: ({ kind, field, step }) =>
      kind === 'step' && field !== 'cost' && step?.opcode === REVERT && step.stackHeight < 2,
  },
  {
    name: 'crash at a REVERT of more memory than there is gas for',
    reason: 'its step hook reads the memory named before the gas for it is taken: RangeError',
    rule: 'yellow paper 9.4.2: an operation whose memory costs more than the gas left halts',
    explains: ({ kind, text }) =>
      kind === 'crash' && text.includes('RangeError') && text.includes('_runStepHook'),
  },
  {
    name: 'output of a creation that cannot pay for its code',
    reason: 'it drops the code returned; nothing but a trace or eth_call shows it',
    rule: 'geth, core/vm/evm.go, create: the output is returned beside ErrCodeStoreOutOfGas',
    explains: ({ kind, field }, revision) =>
      kind === 'outcome' && field === 'output' && revision === 'Frontier',
  },
]
