import type { Hex } from '../../../../base/hex.ts'
import type { CallNode } from '../../../browser/step/stepper.ts'
import type { ContractRegistry } from '../abi/contract-registry.ts'
import { decodeCalldata, decodeConstructor } from '../abi/decode-item.ts'
import type { Decoded, Raw } from '../abi/decoded.ts'
import { addressText } from '../format/address-text.ts'
import type { Piece } from './phrase.ts'

/** Returns an address, with its name if it has one. */
export function addressPiece(address: Hex, lens: ContractRegistry): Piece {
  const text = lens.labelOf(address.toLowerCase() as Hex) ?? addressText(address)
  return { kind: 'address', address, text }
}

/** Returns the decoded call of a frame: undefined without data, and for a creation by unknown code. */
export function decodedCallOf(node: CallNode, lens: ContractRegistry): Decoded | Raw | undefined {
  if (isCreation(node)) {
    const item = lens.constructorAt(node.to.toLowerCase() as Hex)
    return item && decodeConstructor(node.input, item)
  }
  if (node.input === '0x') return undefined
  return decodeCalldata(node.input, lens, node.codeAddress)
}

export function isCreation(node: CallNode): boolean {
  return node.type === 'CREATE' || node.type === 'CREATE2'
}

/** Returns a short name of a frame's function: `transfer`, `0xa9059cbb`, `receive ether`, `creation`. */
export function calledFunctionName(node: CallNode, lens: ContractRegistry): string {
  if (isCreation(node)) return 'creation'
  const call = decodedCallOf(node, lens)
  if (call === undefined)
    return node.value === undefined || node.value === 0n ? 'no data' : 'receive ether'
  return call.kind === 'decoded' ? call.item.name : (call.selector ?? call.bytes)
}
