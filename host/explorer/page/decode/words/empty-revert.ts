import type { Hex } from '../../../../base/hex.ts'
import type { CallNode } from '../../../browser/step/stepper.ts'
import type { ContractRegistry } from '../abi/contract-registry.ts'
import { decodeCalldata } from '../abi/decode-item.ts'
import { weiText } from '../format/amount.ts'
import { addressPiece, isCreation } from './call-words.ts'
import { codePiece, type Phrase } from './phrase.ts'

/** Maximum steps of a compiler's call checks: a longer run has started the function body. */
const CHECK_STEPS = 200

const ANY_CAUSE =
  'Usual causes: a require or revert without a message, a function that the contract does not have, ether for a function that is not payable, arguments that the compiler’s checks reject, a call of an address without code.'

function hasOnlyChecked({ firstStep, endStep, children }: CallNode): boolean {
  return children.length === 0 && endStep - firstStep <= CHECK_STEPS
}

/** Returns a cause that the contract's own ABI reveals. */
function causeByAbi(node: CallNode, lens: ContractRegistry): Phrase | undefined {
  const abi = lens.abiAt(node.codeAddress.toLowerCase() as Hex)
  if (abi === undefined || node.input.length < 10 || !hasOnlyChecked(node)) return undefined
  const selector = node.input.slice(0, 10) as Hex
  const [item] = abi.find('function', selector)
  const contract = addressPiece(node.codeAddress, lens)
  if (item === undefined) {
    return [
      contract,
      ' has no function with the selector ',
      codePiece(selector),
      ', and no fallback that accepts the call.',
    ]
  }
  const value = node.value ?? 0n
  if (value > 0n && item.isPayable === false) {
    return [codePiece(item.signature), ` is not payable, and ${weiText(value)} came with the call.`]
  }
  const call = decodeCalldata(node.input, lens, node.codeAddress)
  const problem = call.kind === 'raw' ? call.why : call.problem
  if (problem === undefined) return undefined
  return ['The compiler’s checks reject the arguments: ', problem, '.']
}

/** Returns the cause if the last call returned nothing and ran no code. */
function causeByCall(
  node: CallNode,
  nodes: readonly CallNode[],
  lens: ContractRegistry,
): Phrase | undefined {
  const index = node.children.at(-1)
  const child = index === undefined ? undefined : nodes[index]
  if (child === undefined || child.fault !== undefined || isCreation(child)) return undefined
  if (child.firstStep !== child.endStep || child.output !== '0x' || child.input === '0x')
    return undefined
  return [
    'The last call, of ',
    addressPiece(child.to, lens),
    ', ran no code and returned nothing: there is no contract. Solidity reverts if it expects return data.',
  ]
}

/** Returns the likely cause of a revert without data, as far as the frames show it. */
export function emptyRevertCause(
  node: CallNode,
  nodes: readonly CallNode[],
  lens: ContractRegistry,
): Phrase {
  if (isCreation(node)) {
    const value = node.value ?? 0n
    if (value > 0n && hasOnlyChecked(node)) {
      return [`The constructor may not be payable, and ${weiText(value)} came with the creation.`]
    }
  } else if (node.input === '0x' && hasOnlyChecked(node)) {
    const value = node.value ?? 0n
    const what = value > 0n ? `${weiText(value)} came without data` : 'the call came without data'
    return [`The contract has no receive() or fallback that accepts it: ${what}.`]
  }
  return causeByAbi(node, lens) ?? causeByCall(node, nodes, lens) ?? [ANY_CAUSE]
}
