import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { type Daemon, type Ready, runCommand, startDaemon } from '../node/daemon.ts'
import { devAccount } from '../node/dev-wallet.ts'
import { call } from '../node/json-rpc.ts'
import { exchange, type RawHeaders, type RawResponse, requestText } from '../node/raw-socket.ts'
import { firstVersionProof, header64 } from './hand-made-proof.ts'
import { Payer } from './payer.ts'

/** Price of both resources of a dev gate, 0.001 of the token, in its smallest unit. */
export const PRICE = 1000n
/** The payee, dev account 9. */
export const PAY_TO = devAccount(9).address.toLowerCase() as Hex

/** Body of a 402, in the contract's style and in that of x402 version 1. */
export interface ChallengeBody {
  readonly x402Version: number
  readonly error?: string
  readonly invalidReason?: string
  readonly accepts: readonly {
    readonly network: string
    readonly maxAmountRequired: string
    readonly resource: string
    readonly payTo: Hex
    readonly asset: Hex
    readonly maxTimeoutSeconds: number
    readonly extra: { readonly name: string; readonly version: string; readonly reference?: string }
  }[]
}

/** A dev node with a payment gate, in its own process. */
export interface GateNode {
  readonly daemon: Daemon
  /** Port of the gate. */
  readonly port: number
  readonly rpc: string
  readonly token: Hex
  /** Name of the network in the contract's challenges and in those of x402 version 1. */
  readonly network: string
  payer(index: number): Payer
  ask(method: string, target: string, headers?: RawHeaders): Promise<RawResponse>
  /** Sends a request with the proof of a transfer in the contract's header. */
  show(target: string, payload: Readonly<Record<string, unknown>>): Promise<RawResponse>
  /** Sends a request without a proof. */
  challenge(target: string): Promise<ChallengeBody>
  rpcCall<Result>(method: string, params?: unknown[]): Promise<Result>
}

type GateReady = Ready & { readonly payments: string; readonly paymentToken: Hex }

/** Creates the home of a dev node, with this text appended to its app.toml. */
export async function initGateHome(home: string, toml = ''): Promise<void> {
  const init = await runCommand(['init', 'gate', '--chain-id', 'dev', '--home', home])
  if (init.code !== 0) throw new Error(init.stderr)
  appendFileSync(join(home, 'config', 'app.toml'), toml)
}

/**
 * Starts a dev node with its gate on free ports.
 * @param first path of a resource whose challenge is requested at once
 */
export async function startGateNode(
  home: string,
  options: readonly string[] = [],
  first = '/weather',
): Promise<GateNode> {
  const gate = ['--payments.enable', 'true', '--payments.address', '127.0.0.1:0']
  const daemon = await startDaemon({ home, arguments: [...gate, ...options] })
  const { rpc, payments, paymentToken: token } = daemon.ready as GateReady
  const port = Number(new URL(payments).port)
  const ask = (method: string, target: string, headers: RawHeaders = []) =>
    exchange(port, requestText(method, target, headers))
  const challenge = async (target: string): Promise<ChallengeBody> =>
    JSON.parse((await ask('GET', target)).body)
  const network = (await challenge(first)).accepts[0]?.network as string
  return {
    daemon,
    port,
    rpc,
    token,
    network,
    payer: (index) => new Payer(index, rpc, token),
    ask,
    show: (target, payload) =>
      ask('GET', target, [['x-payment', header64(firstVersionProof(network, payload))]]),
    challenge,
    rpcCall: (method, params) => call(rpc, method, params),
  }
}
