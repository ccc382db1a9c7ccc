import type { CallNode, StepRow } from '../../../../../../host/explorer/browser/step/stepper.ts'

/** A frame as a list: a name is an opcode, a list is a frame that it enters. */
export type MadeFrame = readonly (string | MadeFrame)[]

const ADDRESS = `0x${'00'.repeat(20)}` as const

/** Returns frames and rows of a run written by hand. Gas decreases by one per step. */
export function makeRun(root: MadeFrame, gas = 1_000_000) {
  const nodes: CallNode[] = []
  const rows: StepRow[] = []
  enter(root, undefined, 1)
  return { nodes: nodes as readonly CallNode[], rows: rows as readonly StepRow[] }

  function enter(frame: MadeFrame, parent: number | undefined, depth: number): number {
    const index = nodes.length
    const firstStep = rows.length
    const children: number[] = []
    nodes.push(undefined as unknown as CallNode) // Reserves its index, since the frames below follow it.
    let pc = 0
    for (const part of frame) {
      if (typeof part === 'string') rows.push(row(part, pc++, depth, index))
      else children.push(enter(part, index, depth + 1))
    }
    nodes[index] = {
      index,
      parent,
      children,
      type: 'CALL',
      depth,
      from: ADDRESS,
      to: `0x${index.toString(16).padStart(40, '0')}`,
      codeAddress: `0x${index.toString(16).padStart(40, '0')}`,
      value: 0n,
      input: '0x',
      output: '0x',
      gas: 0n,
      gasUsed: 0n,
      fault: undefined,
      logs: [],
      firstStep,
      endStep: rows.length,
    }
    return index
  }

  function row(name: string, pc: number, depth: number, call: number): StepRow {
    const index = rows.length
    return { index, pc, opcode: 0, name, depth, gas: gas - index, cost: 1, call, fault: undefined }
  }
}
