import type { CallNode } from '../../../browser/stepper.ts'
import { booksFor, decodeBySelector } from '../abi/decode-item.ts'
import type { Decoded, Raw } from '../abi/decoded.ts'
import { quoteText } from '../format/safe-text.ts'
import type { Lens } from '../lens.ts'
import { FAULT_CAUSES } from './fault-causes.ts'
import { panicCause } from './panic-causes.ts'

/** Why a frame failed, for people. */
export interface FaultWords {
  /** In few words: `ERC20InsufficientBalance(sender: 0x..., ...)`, `out of gas`. */
  readonly title: string
  /** What happened, in a sentence. */
  readonly what: string
  /** What usually causes it and what to look at, in a sentence or two; undefined where the error says it itself. */
  readonly cause: string | undefined
  /** Of a revert that carries data. */
  readonly error: Decoded | Raw | undefined
}

const ERROR_STRING = '0x08c379a0'
const PANIC = '0x4e487b71'

function revertWords(node: CallNode, lens: Lens): FaultWords {
  const { output } = node
  if (output === '0x') {
    return {
      title: 'reverted without a reason',
      what: 'The code reverted and gave no data.',
      cause:
        'A require or revert without text, a call to a contract that has no such function (and no fallback), ether sent to a function that is not payable, or arguments that the compiler’s checks refuse.',
      error: undefined,
    }
  }
  const error = decodeBySelector('error', output, booksFor(lens, node.codeAddress))
  if (error.kind === 'raw') {
    return {
      title: `reverted with ${error.selector ?? output}`,
      what: `The code reverted with ${(output.length - 2) / 2} bytes of data: ${error.why}.`,
      cause: 'Drop the ABI or the compiler’s output of the contract on the page to read it.',
      error,
    }
  }
  const [first] = error.values
  if (error.item.selector === ERROR_STRING && typeof first?.data === 'string') {
    const text = first.text
    return {
      title: text,
      what: `The code reverted with the reason ${text}.`,
      cause: undefined,
      error,
    }
  }
  if (error.item.selector === PANIC && typeof first?.data === 'bigint') {
    const { name, cause } = panicCause(first.data)
    return { title: `panic: ${name}`, what: `Solidity’s own check failed: ${name}.`, cause, error }
  }
  return {
    title: error.text,
    what: `The code reverted with the error ${error.text}, of ${error.item.source}.`,
    cause: undefined,
    error,
  }
}

/** Why a frame failed; undefined for one that did not. */
export function faultWords(node: CallNode, lens: Lens): FaultWords | undefined {
  const text = node.fault?.error
  if (text === undefined) return undefined
  if (text === 'execution reverted') return revertWords(node, lens)
  const row = FAULT_CAUSES.find(({ pattern }) => pattern.test(text))
  if (row === undefined)
    return {
      title: text,
      what: `The frame ended with ${quoteText(text)}.`,
      cause: undefined,
      error: undefined,
    }
  return { title: text, what: row.what, cause: row.cause, error: undefined }
}
