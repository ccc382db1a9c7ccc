import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import { planReplay } from '../../../evm/execute/replay/replay-plan.ts'
import type { TraceOutput } from '../../trace-pool/trace-runner.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import { MethodCall } from '../call/rpc-call.ts'
import { subscriberOf } from '../eth/subscribe.ts'
import { blockNotFound, requireFinished, requireHeight } from '../resolve/block-lookup.ts'
import { checkTraceable, checkTracer, planContext, startTrace } from './run-trace.ts'
import type { TraceRequestOptions } from './trace-options.ts'

/** Starts a subscription to the traces of the blocks after `start` up to `end`; returns its id. */
export function subscribeTraces(
  call: MethodCall,
  topic: string,
  start: BlockArgument,
  end: BlockArgument,
  options: TraceRequestOptions,
): string {
  const { context } = call
  if (topic !== 'traceChain') {
    throw new LockstepError('METHOD_NOT_FOUND', `no "${topic}" subscription in debug namespace`)
  }
  const subscriber = subscriberOf(call)
  const tracer = checkTracer(context, options)
  for (const block of [start, end]) requireFinished(block, 'no subscription to the traces')
  const [from, to] = [start, end].map((block) => requireHeight(context, block, blockNotFound)) as [
    number,
    number,
  ]
  if (from >= to) {
    const text = `end block (#${to}) needs to come after start block (#${from})`
    throw new LockstepError('NOT_FOUND', text)
  }
  checkTraceable(context, from + 1)
  const { id, signal } = context.subscriptions.open(subscriber)
  const { transport, account } = call.caller
  const caller = {
    transport,
    subscriber,
    account,
    signal: AbortSignal.any([call.caller.signal, signal]),
  }
  const traces = new ChainTraces(new MethodCall(context, caller), id, tracer, options)
  // Deferred until the response with the id has been sent.
  setImmediate(() => {
    void traces
      .send(from, to)
      .catch((thrown) => {
        if (!caller.signal.aborted) context.observer.onDefect('debug_subscribe', thrown)
      })
      .finally(() => context.subscriptions.unsubscribe(subscriber, id))
  })
  return id
}

/** Sends the notifications of one subscription. */
class ChainTraces {
  readonly #call: MethodCall
  readonly #id: string
  readonly #tracer: string
  readonly #options: TraceRequestOptions

  constructor(call: MethodCall, id: string, tracer: string, options: TraceRequestOptions) {
    this.#call = call
    this.#id = id
    this.#tracer = tracer
    this.#options = options
  }

  /** Sends the traces of each block with transactions, and always those of the last block, like geth. */
  async send(from: number, to: number): Promise<void> {
    const { context, caller } = this.#call
    for (let height = from + 1; height <= to && !caller.signal.aborted; height++) {
      const count = context.chain.block(height)?.transactions.length ?? 0
      if (count > 0 || height === to) await this.#sendBlock(height)
      const turn = this.#call.yield()
      if (turn !== undefined) await turn
    }
  }

  async #sendBlock(height: number): Promise<void> {
    const { caller } = this.#call
    const hash = formatData(knownHeader(this.#call.context.chain, height).hash)
    const head =
      `{"jsonrpc":"2.0","method":"debug_subscription","params":{"subscription":"${this.#id}",` +
      `"result":{"block":"${formatQuantity(height)}","hash":"${hash}","traces":`
    let output: TraceOutput
    try {
      output = await this.#trace(height)
    } catch (thrown) {
      if (caller.signal.aborted) return
      output = Buffer.from(`[],"error":${JSON.stringify(messageOf(thrown))}`)
    }
    await caller.subscriber?.send(notification(head, output))
  }

  #trace(height: number): Promise<TraceOutput> {
    const { context } = this.#call
    return startTrace(this.#call, this.#tracer, this.#options, {
      job: { plan: planReplay(planContext(context), height), target: { kind: 'block' } },
      view: context.history.before(height),
    })
  }
}

/** Yields a notification with the traces of a block; an `error` follows if they are incomplete. */
async function* notification(head: string, output: TraceOutput): AsyncGenerator<BorrowedView> {
  yield { borrowed: Buffer.from(head) }
  let failure: Error | undefined
  if (output instanceof Uint8Array) yield { borrowed: output }
  else failure = yield* output
  const error = failure === undefined ? '' : `,"error":${JSON.stringify(failure.message)}`
  yield { borrowed: Buffer.from(`${error}}}}`) }
}
