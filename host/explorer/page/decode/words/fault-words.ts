import type { CallNode, StepRow } from '../../../browser/stepper.ts'
import { carriedIn } from '../abi/carried.ts'
import { booksFor, decodeBySelector } from '../abi/decode-item.ts'
import type { Decoded, Raw } from '../abi/decoded.ts'
import { safeText } from '../format/safe-text.ts'
import type { Lens } from '../lens.ts'
import { emptyRevertCause } from './empty-revert.ts'
import { FAULT_CAUSES } from './fault-causes.ts'
import { outOfGasCause } from './gas-words.ts'
import { panicCause } from './panic-causes.ts'
import { codePiece, type Phrase } from './phrase.ts'

/** Why a frame failed, for people. */
export interface FaultWords {
  /** In few words: `ERC20InsufficientBalance(sender: 0x..., ...)`, `out of gas`. */
  readonly title: string
  /** What happened, in a sentence. */
  readonly what: string
  /** What usually causes it and what to look at; empty where the error says it itself. */
  readonly cause: Phrase
  /** Of a revert that carries data. */
  readonly error: Decoded | Raw | undefined
}

export const REVERTED = 'execution reverted'

const ERROR_STRING = 'Error(string)'
const PANIC = 'Panic(uint256)'

/** Bytes that some contracts revert with as they are: text without a selector. */
function bareText(output: string): string | undefined {
  const text = (output.slice(2).match(/../g) ?? [])
    .map((byte) => String.fromCharCode(Number.parseInt(byte, 16)))
    .join('')
    .replace(/\0+$/, '')
  return /^[\x20-\x7e]{4,}$/.test(text) ? text : undefined
}

function revertWords(node: CallNode, nodes: readonly CallNode[], lens: Lens): FaultWords {
  const { output } = node
  if (output === '0x') {
    return {
      title: 'reverted without a reason',
      what: 'The code reverted and gave no data.',
      cause: emptyRevertCause(node, nodes, lens),
      error: undefined,
    }
  }
  const error = decodeBySelector('error', output, booksFor(lens, node.codeAddress))
  if (error.kind === 'raw') {
    const text = bareText(output)
    if (text !== undefined) {
      const title = `"${safeText(text)}"`
      return { title, what: `The code reverted with the bytes of ${title}.`, cause: [], error }
    }
    return {
      title: `reverted with ${error.selector ?? output}`,
      what: `The code reverted with ${(output.length - 2) / 2} bytes of data: ${error.why}.`,
      cause: ['Drop the ABI of the contract, or what its compiler wrote, on the page to read it.'],
      error,
    }
  }
  const [first] = error.values
  if (error.item.signature === ERROR_STRING && first?.problem === undefined) {
    const title = first?.text ?? ''
    return { title, what: `The code reverted with the reason ${title}.`, cause: [], error }
  }
  if (error.item.signature === PANIC && typeof first?.data === 'bigint') {
    const { name, cause } = panicCause(first.data)
    const what = `A check that Solidity puts in failed: ${name} (panic 0x${first.data.toString(16).padStart(2, '0')}).`
    return { title: `panic: ${name}`, what, cause: cause === undefined ? [] : [cause], error }
  }
  const of = error.item.origin === 'table' ? ` (of ${error.item.source}, by its selector)` : ''
  return {
    title: error.text,
    what: `The code reverted with the error ${error.text}${of}.`,
    cause: carriedWords(error, lens),
    error,
  }
}

/** Errors of others that an error hands on in its bytes, as bundlers and routers do. */
function carriedWords({ values }: Decoded, lens: Lens): Phrase {
  return carriedIn(values, 'error', lens).flatMap(({ path, decoded }, i) => [
    `${i === 0 ? '' : ' '}Its ${path} is the error `,
    codePiece(decoded.text),
    '.',
  ])
}

/**
 * Why a frame failed; undefined for one that did not. The causes are told of `nodes`, all frames of the run, and of
 * the step that failed, where they are at hand.
 */
export function faultWords(
  node: CallNode,
  lens: Lens,
  nodes: readonly CallNode[] = [],
  step?: StepRow,
): FaultWords | undefined {
  const text = node.fault?.error
  if (text === undefined) return undefined
  if (text === REVERTED) return revertWords(node, nodes, lens)
  const row = FAULT_CAUSES.find(({ pattern }) => pattern.test(text))
  const title = safeText(text)
  if (row === undefined)
    return { title, what: `The frame ended with: ${title}.`, cause: [], error: undefined }
  const cause: Phrase = row.isGas ? outOfGasCause(node, nodes, lens, step) : [row.cause]
  return { title, what: row.what, cause, error: undefined }
}

/** A frame's failure in one line. */
export function faultTitle(node: CallNode, lens: Lens): string {
  return faultWords(node, lens)?.title ?? ''
}
