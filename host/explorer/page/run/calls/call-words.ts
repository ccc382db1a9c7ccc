import type { CallNode } from '../../../browser/step/stepper.ts'
import type { ContractRegistry } from '../../decode/abi/contract-registry.ts'
import { weiText } from '../../decode/format/amount.ts'
import { decodedCallOf, isCreation } from '../../decode/words/call-words.ts'
import { faultWords } from '../../decode/words/fault-words.ts'

/** A call on one line of the tree. */
export interface CallLine {
  /** `transfer(to: 0x..., amount: 5)`. */
  readonly what: string
  /** Ether that it sends; empty if none. */
  readonly value: string
  /** Why it failed; undefined if it did not. */
  readonly fault: string | undefined
}

export function callLine(call: CallNode, lens: ContractRegistry): CallLine {
  const sends = call.type !== 'DELEGATECALL' && call.value !== undefined && call.value > 0n
  return {
    what: whatOf(call, lens),
    value: sends ? weiText(call.value ?? 0n) : '',
    fault: faultWords(call, lens)?.title,
  }
}

function whatOf(call: CallNode, lens: ContractRegistry): string {
  if (isCreation(call)) return 'new contract'
  const found = decodedCallOf(call, lens)
  if (found === undefined) return '()'
  return found.kind === 'decoded' ? found.text : `${found.selector ?? found.bytes}(…)`
}
