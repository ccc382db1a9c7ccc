import { effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Hex } from '../../../base/hex.ts'
import type { CallNode, RunSummary } from '../../browser/step/stepper.ts'
import type { KnownToken } from '../decode/abi/contract-registry.ts'
import { TRANSFER_TOPICS } from '../decode/words/token-transfers.ts'
import { askToken, type TokenRun } from './asked-token.ts'

export interface RunTokensOptions extends Pick<TokenRun, 'bundle' | 'index' | 'after'> {
  /** Undefined until it is known. */
  readonly summary: ReadonlySignal<RunSummary | undefined>
  readonly calls: ReadonlySignal<readonly CallNode[]>
}

/** Maximum contracts to ask: each takes two runs. */
const MOST = 16

/** The tokens that a run transferred, by address in lower case. They are asked once, after the run. */
export class RunTokens {
  readonly tokens: ReadonlySignal<ReadonlyMap<Hex, KnownToken>>
  readonly #abort = new AbortController()
  readonly #stop: () => void

  constructor({ summary, calls, ...run }: RunTokensOptions) {
    const tokens = signal<ReadonlyMap<Hex, KnownToken>>(new Map())
    this.tokens = tokens
    let isAsked = false
    this.#stop = effect(() => {
      const { changes } = summary.value ?? {}
      if (changes === undefined || isAsked) return
      isAsked = true
      void this.#ask({ ...run, calls: calls.value, changes }, tokens)
    })
  }

  close(): void {
    this.#stop()
    this.#abort.abort()
  }

  async #ask(run: TokenRun, tokens: { value: ReadonlyMap<Hex, KnownToken> }): Promise<void> {
    const { signal } = this.#abort
    for (const address of tokensOf(run.calls)) {
      let token: KnownToken
      try {
        token = await askToken(run, address, signal)
      } catch {
        // The amounts stay in base units. A node that does not answer is reported by what needs it.
        continue
      }
      if (signal.aborted) return
      tokens.value = new Map([...tokens.value, [address, token]])
    }
  }
}

/** Returns the contracts that emitted transfers, in the order of their first. */
function tokensOf(calls: readonly CallNode[]): Hex[] {
  const found = new Set<Hex>()
  for (const { logs } of calls) {
    for (const { address, topics, isReverted } of logs) {
      if (isReverted || !TRANSFER_TOPICS.has(topics[0] ?? '0x')) continue
      found.add(address)
      if (found.size === MOST) return [...found]
    }
  }
  return [...found]
}
