import type { TraceOutput } from './trace-runner.ts'

/**
 * Returns the complete result as a string.
 * @throws the error that aborted it
 */
export async function traceText(output: TraceOutput): Promise<string> {
  if (output instanceof Uint8Array) return Buffer.from(output).toString()
  const parts: Uint8Array[] = []
  for (;;) {
    const step = await output.next()
    if (step.done !== true) {
      parts.push(new Uint8Array(step.value.borrowed))
      continue
    }
    if (step.value !== undefined) throw step.value
    return Buffer.concat(parts).toString()
  }
}
