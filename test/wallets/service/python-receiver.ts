import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PYTHON = process.env.LOCKSTEP_PYTHON_CLIENTS ?? 'python3'
const PROGRAM = fileURLToPath(new URL('webhook-receiver.py', import.meta.url))

/** A request and the receiver's verdict. */
export interface JudgedEvent {
  readonly id: string
  readonly event?: { readonly type: string; readonly number: number }
  /** Why it is not an event of the sender. */
  readonly error?: string
  readonly status?: number
}

/** A receiver of events that verifies each with a published package. */
export interface EventReceiver {
  readonly url: string
  readonly judged: readonly JudgedEvent[]
  /** Sets the secret, before the first event. */
  trust(secret: string): void
  stop(): Promise<void>
}

/** Starts a receiver in Python, which fails once for each event of these types. */
export async function startPythonReceiver(failing: readonly string[]): Promise<EventReceiver> {
  const child = spawn(PYTHON, [PROGRAM, ...failing], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const judged: JudgedEvent[] = []
  const port = await new Promise<number>((resolve, reject) => {
    child.once('close', (code) => reject(new Error(`the receiver ended with ${code}`)))
    createInterface(child.stdout).on('line', (line) => {
      const said = JSON.parse(line) as JudgedEvent & { readonly port?: number }
      if (said.port === undefined) judged.push(said)
      else resolve(said.port)
    })
  })
  return {
    url: `http://127.0.0.1:${port}/`,
    judged,
    trust: (secret) => child.stdin.write(`${secret}\n`),
    stop: () => {
      child.kill()
      return ended
    },
  }
}
