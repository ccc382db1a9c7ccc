import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerJson, type Received, startFakeServer } from '../../../support/fake-server.ts'
import { DEV_TOKEN_ADDRESS } from './scripted-chain.ts'

export const PAY_TO = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'

/** A proof as the server received it. */
export interface ShownProof {
  readonly header: string
  // biome-ignore lint/suspicious/noExplicitAny: JSON of a protocol, which the tests look into
  readonly json: any
  readonly url: string
  readonly method: string
  readonly body: string
}

export interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly proof: ShownProof | undefined
  readonly body: string
}

/** A server whose tests define the answer to each request. */
export interface ScriptedSeller {
  readonly url: string
  /** Proofs in order of arrival. */
  readonly shown: readonly ShownProof[]
  answers: (asked: Asked) => void | Promise<void>
  close(): Promise<void>
}

/** Returns one requirement in the contract's style. */
export function contractRequirement(path: string, over: object = {}): object {
  return {
    scheme: 'exact',
    network: 'eip155:31337',
    maxAmountRequired: '1000',
    resource: path,
    description: '',
    mimeType: 'application/json',
    payTo: PAY_TO,
    maxTimeoutSeconds: 300,
    asset: DEV_TOKEN_ADDRESS,
    extra: { name: 'USDC', version: '2', reference: 'reference-1' },
    ...over,
  }
}

/** Returns a body of the contract, or of x402 v1. */
export function challenge(...accepts: readonly object[]): object {
  return { x402Version: 1, accepts }
}

/** Returns one requirement of x402 v2. */
function requirementOf(over: object): object {
  return {
    scheme: 'exact',
    network: 'eip155:31337',
    amount: '1000',
    asset: DEV_TOKEN_ADDRESS,
    payTo: PAY_TO,
    maxTimeoutSeconds: 300,
    extra: { name: 'USDC', version: '2' },
    ...over,
  }
}

/** Returns the header of x402 v2 with requirements that differ in these members. */
export function requiredOffers(
  url: string,
  offers: readonly object[],
  extensions?: object,
): string {
  const resource = { url, description: '', mimeType: 'application/json' }
  const value = { x402Version: 2, error: 'PAYMENT-SIGNATURE header is required', resource }
  const required = { ...value, accepts: offers.map(requirementOf), extensions }
  return Buffer.from(JSON.stringify(required)).toString('base64')
}

/** Returns the header of x402 v2. */
export function requiredHeader(url: string, over: object = {}): string {
  return requiredOffers(url, [over])
}

function proofOf({ headers, body, path: url, method }: Received): ShownProof | undefined {
  for (const header of ['x-payment', 'payment-signature']) {
    const value = headers[header]
    if (typeof value !== 'string') continue
    const json = JSON.parse(Buffer.from(value, 'base64').toString())
    return { header, json, url, method, body }
  }
  return undefined
}

/** Serves on a free port. By default everything costs 1000 in the contract's style, and every proof is accepted. */
export async function openSeller(): Promise<ScriptedSeller> {
  const shown: ShownProof[] = []
  const { url, close } = await startFakeServer((response, received, request) => {
    const proof = proofOf(received)
    if (proof !== undefined) shown.push(proof)
    return seller.answers({ request, response, proof, body: received.body })
  })
  const seller: ScriptedSeller = {
    url,
    shown,
    answers: ({ request, response, proof }) => {
      if (proof !== undefined) answerJson(response, 200, { paid: true })
      else answerJson(response, 402, challenge(contractRequirement(request.url ?? '')))
    },
    close,
  }
  return seller
}
