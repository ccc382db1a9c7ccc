import { decodeError, parseAbi } from 'micro-eth-signer/abi.js'
import { parseData } from '../base/hex.ts'
import { gethRevertReason as solidityReason } from '../evm/trace/tracers/revert-reason.ts'
import { plainText } from './plain-text.ts'

/** Errors of token contracts (ERC-6093), in addition to Solidity's own. */
const KNOWN = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC721InvalidOwner(address owner)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'error ERC721InvalidSender(address sender)',
  'error ERC721InvalidReceiver(address receiver)',
  'error ERC721InsufficientApproval(address operator, uint256 tokenId)',
  'error ERC721InvalidApprover(address approver)',
  'error ERC721InvalidOperator(address operator)',
  'error OwnableUnauthorizedAccount(address account)',
])

/** Selector of `Error(string)`. */
const ERROR_SELECTOR = '0x08c379a0'

/** Maximum output to decode: reasons are short, but a contract may return a megabyte. */
const MAX_OUTPUT = 20_000

const undecodable = (selector: string) => `an error that does not decode, ${selector}`

/** Returns the reason of a revert in words; undefined if it has none. @param output 0x-hex */
export function revertReasonText(output: unknown): string | undefined {
  if (typeof output !== 'string' || !/^0x(?:[0-9a-fA-F]{2})+$/.test(output)) return undefined
  const selector = output.slice(0, 10)
  if (output.length > MAX_OUTPUT) return `an error of ${output.length / 2 - 1} bytes, ${selector}`
  if (selector === ERROR_SELECTOR) {
    const text = solidityReason(parseData(output))
    return text === undefined ? undecodable(selector) : `"${plainText(text, 200)}"`
  }
  try {
    const error = decodeError(output, KNOWN as never)
    if (error === undefined) return `an unknown error, ${selector}`
    if (error.name === 'Panic') return error.message
    const { args } = error
    const named = typeof args === 'object' && args !== null ? Object.entries(args) : [['', args]]
    return `${error.name}(${named.map(([name, value]) => (name === '' ? `${value}` : `${name}: ${value}`)).join(', ')})`
  } catch {
    return undecodable(selector)
  }
}
