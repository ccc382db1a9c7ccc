import type { CallNode, RunSummary } from '../../../browser/stepper.ts'
import { countText, tokenText, weiText } from '../format/amount.ts'
import type { Lens } from '../lens.ts'
import { addressPiece, callOf, functionName, isCreation } from './call-words.ts'
import { failurePaths } from './failure-path.ts'
import { faultWords } from './fault-words.ts'
import { codePiece, type Phrase, type Piece } from './phrase.ts'
import { type TokenMove, tokenMoves } from './token-moves.ts'

/** A transaction in sentences, the most important first. */
export interface SummaryWords {
  /** One line: what was called and how it ended. */
  readonly headline: Phrase
  /** Who called what, with which value. */
  readonly what: Phrase
  /** Where and why it failed; undefined on success. */
  readonly why: Phrase | undefined
  /** What usually causes such a failure. */
  readonly cause: string | undefined
  readonly moves: readonly Phrase[]
  readonly gas: Phrase
  /** Failures that a frame caught and went on from. */
  readonly caught: readonly Phrase[]
}

const ZERO = /^0x0{40}$/

function movePhrase(move: TokenMove, lens: Lens): Phrase {
  const token = lens.tokenAt(move.token)
  const amount: Piece[] =
    move.standard === 'ERC-20'
      ? token === undefined
        ? [`${countText(move.amount)} units of `, addressPiece(move.token, lens)]
        : [tokenText(move.amount, token)]
      : [
          move.standard === 'ERC-1155' ? `${countText(move.amount)} of token ` : 'token ',
          codePiece(`#${move.id}`),
          ' of ',
          addressPiece(move.token, lens),
        ]
  if (ZERO.test(move.from)) return [...amount, ' minted to ', addressPiece(move.to, lens)]
  if (ZERO.test(move.to)) return [...amount, ' burned by ', addressPiece(move.from, lens)]
  return [...amount, ' from ', addressPiece(move.from, lens), ' to ', addressPiece(move.to, lens)]
}

function whatPhrase(root: CallNode, summary: RunSummary, lens: Lens): Phrase {
  const value = root.value ?? 0n
  const from = addressPiece(root.from, lens)
  const withValue = value === 0n ? '' : ` with ${weiText(value)}`
  if (isCreation(root)) {
    const at = summary.contractAddress ?? root.to
    return [from, ` created a contract${withValue} at `, addressPiece(at, lens), '.']
  }
  const to = addressPiece(root.to, lens)
  const call = callOf(root, lens)
  if (call === undefined) {
    return value === 0n
      ? [from, ' called ', to, ' without data.']
      : [from, ` sent ${weiText(value)} to `, to, '.']
  }
  const text = call.kind === 'decoded' ? call.text : `${call.selector ?? call.bytes}: ${call.why}`
  return [from, ' called ', codePiece(text), ' of ', to, `${withValue}.`]
}

function framePiece(node: CallNode, lens: Lens): Piece {
  return { kind: 'call', call: node.index, text: functionName(node, lens) }
}

function whyPhrase(failed: readonly CallNode[], lens: Lens): Phrase {
  const [first] = failed
  if (first === undefined) return []
  const words = faultWords(first, lens)
  const where: Piece[] = [
    'In ',
    framePiece(first, lens),
    ' of ',
    addressPiece(first.to, lens),
    ': ',
  ]
  return [...where, words?.what ?? '']
}

export function summaryWords(
  summary: RunSummary,
  nodes: readonly CallNode[],
  lens: Lens,
): SummaryWords | undefined {
  const root = nodes[0]
  if (root === undefined) return undefined
  const paths = failurePaths(nodes)
  const failure = paths.find(({ caughtBy }) => caughtBy === undefined)
  const first = failure?.failed[0]
  const words = first === undefined ? undefined : faultWords(first, lens)
  const name = functionName(root, lens)
  return {
    headline: summary.success
      ? [codePiece(name), ' succeeded']
      : [codePiece(name), ` failed: ${words?.title ?? summary.fault?.error ?? ''}`],
    what: whatPhrase(root, summary, lens),
    why: failure === undefined ? undefined : whyPhrase(failure.failed, lens),
    cause: words?.cause,
    moves: tokenMoves(nodes, lens).map((move) => movePhrase(move, lens)),
    gas: [`${countText(summary.gasUsed)} of ${countText(summary.gasLimit)} gas used.`],
    caught: paths
      .filter(({ caughtBy }) => caughtBy !== undefined)
      .map(({ failed, caughtBy }) => [
        ...whyPhrase(failed, lens),
        ' It was caught by ',
        framePiece(caughtBy as CallNode, lens),
        '.',
      ]),
  }
}
