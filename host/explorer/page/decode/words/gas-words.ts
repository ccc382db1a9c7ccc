import type { CallNode, StepRow } from '../../../browser/step/stepper.ts'
import type { ContractRegistry } from '../abi/contract-registry.ts'
import { countText } from '../format/amount.ts'
import { addressPiece, calledFunctionName } from './call-words.ts'
import { codePiece, type Phrase, type Piece } from './phrase.ts'

/** Gas that transfer() and send() pass on. */
const STIPEND = 2_300n

/** Describes where the gas of a frame went: to its calls, naming the most expensive, and to its own code. */
export function gasWords(
  node: CallNode,
  nodes: readonly CallNode[],
  lens: ContractRegistry,
): Phrase {
  const children = node.children.map((index) => nodes[index]).filter((child) => child !== undefined)
  const below = children.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
  const own = node.gasUsed > below ? node.gasUsed - below : 0n
  const had = `Of the ${countText(node.gas)} gas that the frame had, ${countText(own)} went to its own code`
  const dearest = children.reduce<CallNode | undefined>(
    (most, child) => (most === undefined || child.gasUsed > most.gasUsed ? child : most),
    undefined,
  )
  if (dearest === undefined) return [`${had}.`]
  const calls = children.length === 1 ? 'one call' : `${children.length} calls`
  return [
    `${had} and ${countText(below)} to ${calls}, most of it, ${countText(dearest.gasUsed)}, to `,
    { kind: 'call', call: dearest.index, text: calledFunctionName(dearest, lens) },
    ' of ',
    addressPiece(dearest.to, lens),
    '.',
  ]
}

/** Returns why a frame ran out of gas, by its gas and the failing step. */
export function outOfGasCause(
  node: CallNode,
  nodes: readonly CallNode[],
  lens: ContractRegistry,
  step: StepRow | undefined,
): Phrase {
  const pieces: Piece[] = []
  if (step !== undefined && step.cost > step.gas) {
    const numbers = `needed ${countText(step.cost)} gas, but only ${countText(step.gas)} were left. `
    pieces.push(codePiece(step.name), ` ${numbers}`)
  }
  pieces.push(...gasWords(node, nodes, lens))
  if (node.parent === undefined) {
    pieces.push(
      ' It is the transaction’s own frame: raise the gas limit, or find what costs so much.',
    )
  } else if (node.gas <= STIPEND) {
    pieces.push(
      ' That is the stipend that transfer() and send() pass on: enough for a log, not for writing a slot. Send with call{value: ...}("") instead.',
    )
  } else {
    pieces.push(
      ' The caller decides how much it passes on, at most 63/64 of what it has (EIP-150).',
    )
  }
  return pieces
}
