import { formatData, type Hex } from '../base/hex.ts'
import { abiSelector } from '../evm/chain-types/abi.ts'

/** Functions that are common in traces, shown by name. */
const FUNCTIONS = [
  'transfer(address,uint256)',
  'transferFrom(address,address,uint256)',
  'approve(address,uint256)',
  'balanceOf(address)',
  'allowance(address,address)',
  'totalSupply()',
  'decimals()',
  'symbol()',
  'name()',
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'mint(address,uint256)',
  'burn(uint256)',
  'deposit()',
  'withdraw(uint256)',
  'ownerOf(uint256)',
  'safeTransferFrom(address,address,uint256)',
  'safeTransferFrom(address,address,uint256,bytes)',
  'setApprovalForAll(address,bool)',
  'isApprovedForAll(address,address)',
  'aggregate3((address,bool,bytes)[])',
  'onERC721Received(address,address,uint256,bytes)',
  'isValidSignature(bytes32,bytes)',
  'supportsInterface(bytes4)',
] as const

const NAMES: ReadonlyMap<Hex, string> = new Map(
  FUNCTIONS.map((signature) => [formatData(abiSelector(signature)), signature]),
)

/** Returns the likely function of a selector, or the selector itself if it is unknown. */
export function functionOfSelector(selector: Hex): string {
  return NAMES.get(selector) ?? `function ${selector}`
}
