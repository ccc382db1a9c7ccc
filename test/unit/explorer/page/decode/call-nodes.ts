import type { Hex } from '../../../../../host/base/hex.ts'
import type { Fault } from '../../../../../host/explorer/browser/step/fault.ts'
import type { CallNode } from '../../../../../host/explorer/browser/step/stepper.ts'

/** Returns an address of one repeated byte. */
export function at(byte: number): Hex {
  return `0x${byte.toString(16).padStart(2, '0').repeat(20)}`
}

export function fault(error: string, output: Hex = '0x'): Fault {
  return { error, output, reason: undefined, step: undefined }
}

type Frame = Partial<Omit<CallNode, 'index' | 'parent' | 'children' | 'depth'>> & {
  readonly below?: readonly Frame[]
}

/** Returns the frames of a tree in entry order. Each node lists its differences from a call without data. */
export function callNodes(top: Frame): CallNode[] {
  const nodes: CallNode[] = []
  const add = ({ below = [], ...frame }: Frame, parent: number | undefined, depth: number) => {
    const index = nodes.length
    const to = frame.to ?? at(0xc0 + index)
    const children: number[] = []
    nodes.push({
      index,
      parent,
      children,
      type: 'CALL',
      depth,
      from: parent === undefined ? at(0xaa) : (nodes[parent]?.to as Hex),
      to,
      codeAddress: to,
      value: 0n,
      input: '0x',
      output: frame.fault?.output ?? '0x',
      gas: 100_000n,
      gasUsed: 50_000n,
      fault: undefined,
      logs: [],
      firstStep: 0,
      endStep: 0,
      ...frame,
    })
    for (const child of below) {
      children.push(nodes.length)
      add(child, index, depth + 1)
    }
  }
  add(top, undefined, 1)
  return nodes
}
