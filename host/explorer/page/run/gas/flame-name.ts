import type { CallNode } from '../../../browser/step/stepper.ts'
import type { ContractRegistry } from '../../decode/abi/contract-registry.ts'
import type { Flame } from '../../decode/flame/flame.ts'
import { shortAddress } from '../../decode/format/address-text.ts'
import { calledFunctionName } from '../../decode/words/call-words.ts'

/** Returns a function that names call boxes: function and contract. */
export function callFlameName(
  calls: readonly CallNode[],
  lens: ContractRegistry,
): (flame: Flame) => string {
  return (flame) => {
    const call = calls[flame.call ?? -1]
    if (call === undefined) return flame.key
    return `${lens.labelOf(call.to) ?? shortAddress(call.to)}.${calledFunctionName(call, lens)}`
  }
}
