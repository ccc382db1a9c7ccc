import { formatData } from '../../../base/hex.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { TraceEvent } from '../../engine/trace-event.ts'
import type { Tracer, TracerRequest } from '../tracer.ts'
import { consoleCall, consoleText } from './console-call.ts'
import { ConsoleTable } from './console-table.ts'
import { KeptBytes } from './kept-bytes.ts'

/**
 * Lists what contracts log with console.sol of Hardhat or Foundry, in order and in failed frames too. Each entry has
 * contract, frame depth, function, values (numbers in decimal), and the formatted text.
 * @throws LIMIT_EXCEEDED if the texts exceed the limit of kept bytes.
 */
export function consoleTracer({ writer, limits }: TracerRequest, keccak256: Keccak256): Tracer {
  const table = new ConsoleTable(keccak256)
  const kept = new KeptBytes(limits.keptBytes, 'console calls', 'trace a part of the block')
  const calls: object[] = []
  const onEvent = (event: TraceEvent): void => {
    if (event.kind !== 'enter') return
    const call = consoleCall(event, table)
    if (call === undefined) return
    kept.add(event.input.length)
    calls.push({
      contract: formatData(call.contract),
      depth: event.depth - 1,
      signature: call.signature,
      values: call.values.map((value) => (typeof value === 'bigint' ? value.toString() : value)),
      text: consoleText(call),
    })
  }
  return {
    sink: { ignoresLogs: true, onEvent },
    finish: () => writer.value(calls),
  }
}
