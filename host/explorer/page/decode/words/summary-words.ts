import type { Hex } from '../../../../base/hex.ts'
import type { CallNode, RunSummary, StepRow } from '../../../browser/step/stepper.ts'
import type { ContractRegistry } from '../abi/contract-registry.ts'
import { countText, decimalText, weiText } from '../format/amount.ts'
import { middleCut } from '../format/middle-cut.ts'
import { addressPiece, calledFunctionName, decodedCallOf, isCreation } from './call-words.ts'
import { type FailureLink, type FailurePath, failurePaths } from './failure-path.ts'
import { faultTitle, faultWords } from './fault-words.ts'
import { codePiece, type Phrase, type Piece } from './phrase.ts'
import {
  type EtherTransfer,
  etherTransfers,
  type LoggedTransfer,
  tokenTransfers,
} from './token-transfers.ts'

/** The description of a transaction, most important sentence first. */
export interface SummaryWords {
  /** One line: the call and its outcome. */
  readonly headline: Phrase
  /** Sender, call and value. */
  readonly what: Phrase
  /** The failing frame and the reason; undefined on success. */
  readonly why: Phrase | undefined
  /** Usual causes of such a failure; empty if the error itself says it. */
  readonly cause: Phrase
  /** Index of the frame that failed first; undefined on success. */
  readonly failedFirst: number | undefined
  /** Ether and tokens moved beyond the transaction's own value. */
  readonly moves: readonly Phrase[]
  readonly gas: Phrase
  /** Failures that a frame caught. */
  readonly caught: readonly Phrase[]
}

const ZERO = /^0x0{40}$/

/** Calls that a sentence names; the list of failed calls and the call tree have more. */
const MOST_FRAMES = 3
/** Characters of a call in a sentence; the table of the input has it in full. */
const LONGEST_CALL = 300

/** Describes a token transfer. */
export function movePhrase(move: LoggedTransfer, lens: ContractRegistry): Phrase {
  const amount: Piece[] =
    move.standard === 'ERC-20'
      ? tokenAmount(move, lens)
      : [
          move.standard === 'ERC-1155' ? `${countText(move.amount)} of token ` : 'token ',
          codePiece(`#${move.id}`),
          ' of ',
          tokenPiece(move.token, lens),
        ]
  if (ZERO.test(move.from)) return [...amount, ' minted to ', addressPiece(move.to, lens)]
  if (ZERO.test(move.to)) return [...amount, ' burned by ', addressPiece(move.from, lens)]
  return [...amount, ' from ', addressPiece(move.from, lens), ' to ', addressPiece(move.to, lens)]
}

/** Amounts are in the token's own unit if it gives its decimals; otherwise as stored. */
function tokenAmount({ token, amount }: LoggedTransfer, lens: ContractRegistry): Piece[] {
  const { symbol, decimals } = lens.tokenAt(token) ?? {}
  const name = tokenPiece(token, lens)
  if (decimals === undefined) return [`${countText(amount)} base units of `, name]
  return [`${decimalText(amount, decimals)} ${symbol === undefined ? 'tokens of ' : ''}`, name]
}

/** Any contract may claim any symbol, so it links to its address. */
function tokenPiece(address: Hex, lens: ContractRegistry): Piece {
  const { symbol } = lens.tokenAt(address) ?? {}
  return symbol === undefined
    ? addressPiece(address, lens)
    : { kind: 'address', address, text: symbol }
}

function whatPhrase(root: CallNode, summary: RunSummary, lens: ContractRegistry): Phrase {
  const value = root.value ?? 0n
  const from = addressPiece(root.from, lens)
  const withValue = value === 0n ? '' : ` with ${weiText(value)}`
  if (isCreation(root)) {
    const at = summary.contractAddress ?? root.to
    return [from, ` created a contract${withValue} at `, addressPiece(at, lens), '.']
  }
  const to = addressPiece(root.to, lens)
  const call = decodedCallOf(root, lens)
  if (call === undefined) {
    return value === 0n
      ? [from, ' called ', to, ' without data.']
      : [from, ` sent ${weiText(value)} to `, to, '.']
  }
  if (ranNothing(root, summary)) {
    const bytes = countText((root.input.length - 2) / 2)
    return [
      from,
      ` sent ${bytes} bytes of data${withValue} to `,
      to,
      ', which has no code: nothing ran.',
    ]
  }
  const text = call.kind === 'decoded' ? call.text : `${call.selector ?? call.bytes}: ${call.why}`
  return [from, ' called ', codePiece(middleCut(text, LONGEST_CALL)), ' of ', to, `${withValue}.`]
}

/** Precompiles run without steps: their addresses are the lowest ones. */
const PRECOMPILE = /^0x0{36}/

/** Returns true for a call of an account without code. */
function ranNothing(root: CallNode, { steps }: RunSummary): boolean {
  return steps === 0 && !isCreation(root) && !PRECOMPILE.test(root.to)
}

function successPhrase(root: CallNode, summary: RunSummary, lens: ContractRegistry): Phrase {
  if (!ranNothing(root, summary)) return [codePiece(calledFunctionName(root, lens)), ' succeeded']
  const value = root.value ?? 0n
  const to = addressPiece(root.to, lens)
  if (root.input !== '0x') return ['Data sent to ', to, ', which has no code']
  return value === 0n ? ['Nothing sent to ', to] : [`${weiText(value)} sent to `, to]
}

function framePiece(node: CallNode, lens: ContractRegistry): Piece {
  return { kind: 'call', call: node.index, text: calledFunctionName(node, lens) }
}

const LINKS: Readonly<Record<FailureLink, string>> = {
  'passed on': 'passed it on',
  replaced: 'failed because of it with its own error',
  'out of gas': 'ran out of gas with it',
}

/** Describes where and why a failure began, and how it propagated. */
function whyPhrase(
  { failed, links }: FailurePath,
  nodes: readonly CallNode[],
  lens: ContractRegistry,
): Phrase {
  const [node, ...above] = failed
  const words = faultWords(node, lens, nodes)
  const pieces: Piece[] = ['In ', framePiece(node, lens), ' of ', addressPiece(node.to, lens)]
  const step = node.fault?.step
  if (step !== undefined) pieces.push(', ', { kind: 'step', step, text: `step ${countText(step)}` })
  pieces.push(': ', words?.what ?? '')
  for (const [i, frame] of above.slice(0, MOST_FRAMES).entries()) {
    const link = links[i] as FailureLink
    pieces.push(' ', framePiece(frame, lens), ' of ', addressPiece(frame.to, lens))
    pieces.push(` ${LINKS[link]}`)
    if (link === 'replaced') pieces.push(': ', codePiece(faultTitle(frame, lens)))
    pieces.push('.')
  }
  const more = above.length - MOST_FRAMES
  if (more > 0) pieces.push(` The failure went on through ${countText(more)} calls above.`)
  return pieces
}

/** Describes a transaction; undefined if it has no frames. `failedStep` is the row of the step that failed first. */
export function summaryWords(
  summary: RunSummary,
  nodes: readonly CallNode[],
  lens: ContractRegistry,
  failedStep?: StepRow,
): SummaryWords | undefined {
  const root = nodes[0]
  if (root === undefined) return undefined
  const paths = failurePaths(nodes)
  const failure = paths.find(({ caughtBy }) => caughtBy === undefined)
  const first = failure?.failed[0]
  const words = first === undefined ? undefined : faultWords(first, lens, nodes, failedStep)
  const name = calledFunctionName(root, lens)
  const ether = etherTransfers(nodes).slice(isCreation(root) || (root.value ?? 0n) > 0n ? 1 : 0)
  return {
    headline: summary.success
      ? successPhrase(root, summary, lens)
      : [codePiece(name), ' failed: ', words?.title ?? summary.fault?.error ?? ''],
    what: whatPhrase(root, summary, lens),
    why: failure === undefined ? undefined : whyPhrase(failure, nodes, lens),
    cause: words?.cause ?? [],
    failedFirst: first?.index,
    moves: [
      ...ether.map((move) => etherPhrase(move, lens)),
      ...tokenTransfers(nodes, lens).map((move) => movePhrase(move, lens)),
    ],
    gas: gasPhrase(summary),
    caught: paths
      .filter(({ caughtBy }) => caughtBy !== undefined)
      .map((path) => [
        ...whyPhrase(path, nodes, lens),
        ' ',
        framePiece(path.caughtBy as CallNode, lens),
        ' of ',
        addressPiece((path.caughtBy as CallNode).to, lens),
        ' continued anyway.',
      ]),
  }
}

function etherPhrase({ from, to, wei }: EtherTransfer, lens: ContractRegistry): Phrase {
  return [`${weiText(wei)} from `, addressPiece(from, lens), ' to ', addressPiece(to, lens)]
}

function gasPhrase({ gasUsed, gasLimit }: RunSummary): Phrase {
  const percent = gasLimit === 0n ? 0n : (gasUsed * 1000n) / gasLimit
  const share = `${percent / 10n}.${percent % 10n} %`
  return [`${countText(gasUsed)} of ${countText(gasLimit)} gas used, ${share}.`]
}
