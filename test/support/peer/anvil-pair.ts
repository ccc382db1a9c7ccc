import { call } from '../node/json-rpc.ts'
import { MAIN } from '../node/main-file.ts'
import { type Program, startProgram } from '../program.ts'
import { ANVIL } from './anvil.ts'

/** Calls a method of one node. */
export type NodeCall = <Result>(method: string, ...params: unknown[]) => Promise<Result>

/** anvil and `lockstep anvil`, started with the same flags. */
export interface AnvilPair {
  readonly theirs: Program
  readonly ours: Program
  /** Runs a scenario on both, and returns what each observed, anvil's first. */
  observe<Seen>(scenario: (rpc: NodeCall) => Promise<Seen>): Promise<readonly [Seen, Seen]>
  stop(): Promise<void>
}

async function urlOf(program: Program): Promise<string> {
  const port = await program.says((text) => /^Listening on 127\.0\.0\.1:(\d+)$/m.exec(text)?.[1])
  return `http://127.0.0.1:${port}`
}

/** Starts both nodes on free loopback ports. */
export async function startAnvilPair(args: readonly string[] = []): Promise<AnvilPair> {
  const flags = ['--port', '0', ...args]
  const theirs = startProgram([ANVIL, ...flags])
  const ours = startProgram([process.execPath, MAIN, 'anvil', ...flags])
  const stop = async () => {
    await Promise.all([theirs.stop(), ours.stop()])
  }
  try {
    const urls = await Promise.all([urlOf(theirs), urlOf(ours)])
    const [a, b] = urls.map(
      (url): NodeCall =>
        <Result>(method: string, ...params: unknown[]) =>
          call<Result>(url, method, params),
    ) as [NodeCall, NodeCall]
    return {
      theirs,
      ours,
      observe: async (scenario) => [await scenario(a), await scenario(b)],
      stop,
    }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

/** Returns the result of a call, or `error` if it fails. */
export async function resultOrError(answer: Promise<unknown>): Promise<unknown> {
  return answer.catch(() => 'error')
}
