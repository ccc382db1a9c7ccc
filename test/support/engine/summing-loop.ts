import { assemble } from './bytecode.ts'

/** Returns code with a loop of `turns` turns that adds `step` each time, and returns the sum. */
export function summingLoop(step: number, turns: number): Uint8Array {
  return assemble(
    ...[0, turns, 'JUMPDEST', 'SWAP1', step, 'ADD', 'SWAP1', 1, 'SWAP1', 'SUB'],
    ...['DUP1', turns > 255 ? 5 : 4, 'JUMPI', 'POP', 0, 'MSTORE', 32, 0, 'RETURN'],
  )
}
