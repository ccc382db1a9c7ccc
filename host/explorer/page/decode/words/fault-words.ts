import type { CallNode, StepRow } from '../../../browser/step/stepper.ts'
import { carriedIn } from '../abi/carried.ts'
import type { ContractRegistry } from '../abi/contract-registry.ts'
import { abisFor, decodeBySelector } from '../abi/decode-item.ts'
import type { Decoded, Raw } from '../abi/decoded.ts'
import { middleCut } from '../format/middle-cut.ts'
import { safeText } from '../format/safe-text.ts'
import { emptyRevertCause } from './empty-revert.ts'
import { FAULT_CAUSES } from './fault-causes.ts'
import { outOfGasCause } from './gas-words.ts'
import { panicCause } from './panic-causes.ts'
import { codePiece, type Phrase } from './phrase.ts'

/** The failure of a frame, for display. */
export interface FaultWords {
  /** Short: `ERC20InsufficientBalance(sender: 0x..., ...)`, `out of gas`. */
  readonly title: string
  /** What happened, in a sentence. */
  readonly what: string
  /** Usual causes and what to check; empty if the error itself says it. */
  readonly cause: Phrase
  /** For a revert with data. */
  readonly error: Decoded | Raw | undefined
}

export const REVERTED = 'execution reverted'

/** Longer titles and sentences fill the screen; the table of the error's values has them in full. */
const LONGEST_TITLE = 160
const LONGEST_SENTENCE = 400

const ERROR_STRING = 'Error(string)'
const PANIC = 'Panic(uint256)'

/** Returns plain text that some contracts revert with, without a selector. */
function bareText(output: string): string | undefined {
  const text = (output.slice(2).match(/../g) ?? [])
    .map((byte) => String.fromCharCode(Number.parseInt(byte, 16)))
    .join('')
    .replace(/\0+$/, '')
  return /^[\x20-\x7e]{4,}$/.test(text) ? text : undefined
}

function revertWords(
  node: CallNode,
  nodes: readonly CallNode[],
  lens: ContractRegistry,
): FaultWords {
  const { output } = node
  if (output === '0x') {
    return {
      title: 'reverted without a reason',
      what: 'The code reverted without data.',
      cause: emptyRevertCause(node, nodes, lens),
      error: undefined,
    }
  }
  const error = decodeBySelector('error', output, abisFor(lens, node.codeAddress))
  if (error.kind === 'raw') {
    const text = bareText(output)
    if (text !== undefined) {
      const title = `"${middleCut(safeText(text), LONGEST_TITLE)}"`
      return { title, what: `The code reverted with the bytes of ${title}.`, cause: [], error }
    }
    return {
      title: `reverted with ${error.selector ?? middleCut(output, LONGEST_TITLE)}`,
      what: `The code reverted with ${(output.length - 2) / 2} bytes of data: ${error.why}.`,
      cause: ['Drop the ABI of the contract, or its compiler output, on the page to decode it.'],
      error,
    }
  }
  const [first] = error.values
  if (error.item.signature === ERROR_STRING && first?.problem === undefined) {
    const title = middleCut(first?.text ?? '', LONGEST_TITLE)
    return { title, what: `The code reverted with the reason ${title}.`, cause: [], error }
  }
  if (error.item.signature === PANIC && typeof first?.data === 'bigint') {
    const { name, cause } = panicCause(first.data)
    const what = `A check added by Solidity failed: ${name} (panic 0x${first.data.toString(16).padStart(2, '0')}).`
    return { title: `panic: ${name}`, what, cause: cause === undefined ? [] : [cause], error }
  }
  const of = error.item.origin === 'table' ? ` (of ${error.item.source}, by its selector)` : ''
  const title = middleCut(error.text, LONGEST_TITLE)
  return {
    title,
    what: `The code reverted with the error ${middleCut(error.text, LONGEST_SENTENCE)}${of}.`,
    cause: carriedWords(error, lens),
    error,
  }
}

/** Describes errors inside an error's bytes, as in bundlers and routers. */
function carriedWords({ values }: Decoded, lens: ContractRegistry): Phrase {
  return carriedIn(values, 'error', lens).flatMap(({ path, decoded }, i) => [
    `${i === 0 ? '' : ' '}Its ${path} is the error `,
    codePiece(middleCut(decoded.text, LONGEST_SENTENCE)),
    '.',
  ])
}

/**
 * Describes the failure of a frame; undefined if it succeeded. Causes use `nodes`, all frames of the run, and the
 * failing step, if given.
 */
export function faultWords(
  node: CallNode,
  lens: ContractRegistry,
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

/** Describes a frame's failure in one line. */
export function faultTitle(node: CallNode, lens: ContractRegistry): string {
  return faultWords(node, lens)?.title ?? ''
}
