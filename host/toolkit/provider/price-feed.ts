import { z } from 'zod'
import { timeoutSignal } from '../../base/timer.ts'
import { boundedText } from '../../client/chain-client/bounded-text.ts'
import { type ActionProvider, defineAction } from '../action.ts'
import { ActionError } from '../action-error.ts'
import { integerOutput } from '../argument.ts'
import { plainText } from '../plain-text.ts'
import type { PriceFeedSettings } from '../settings.ts'

const TIMEOUT_MS = 10_000
const MAX_ANSWER = 4_000_000
/** Maximum results of a search. */
const MAX_FOUND = 20

const feedId = z
  .string()
  .regex(/^(?:0x)?[0-9a-fA-F]{64}$/, 'is not a feed id: write 64 hex digits')
  .transform((text) => text.replace(/^0x/, '').toLowerCase())

const foundShape = z.array(
  z.object({
    id: feedId,
    attributes: z.object({
      symbol: z.string().optional(),
      display_symbol: z.string().optional(),
      asset_type: z.string().optional(),
      description: z.string().optional(),
    }),
  }),
)

const latestShape = z.object({
  parsed: z.array(
    z.object({
      id: feedId,
      price: z.object({
        price: z.string().regex(/^-?\d{1,30}$/),
        conf: z.string().regex(/^\d{1,30}$/),
        expo: z.int().min(-30).max(30),
        publish_time: z.int().min(0),
      }),
    }),
  ),
})

/** @throws FEED_FAILED */
async function ask<T>(
  { url, fetch = globalThis.fetch }: PriceFeedSettings,
  path: string,
  shape: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T> {
  const host = new URL(url).host
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}${path}`, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([signal, timeoutSignal(TIMEOUT_MS)]),
    })
    const text = await boundedText(response, MAX_ANSWER)
    if (response.status === 404) {
      throw new ActionError('NOT_FOUND', `${host} has no such price`, {
        next: 'search with price_search',
      })
    }
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    return shape.parse(JSON.parse(text))
  } catch (error) {
    if (error instanceof ActionError) throw error
    const reason =
      error instanceof z.ZodError || error instanceof SyntaxError
        ? 'its answer is malformed'
        : plainText(error instanceof Error ? error.message : '', 100)
    throw new ActionError('FEED_FAILED', `the price feed at ${host} failed: ${reason}`, {
      cause: error,
    })
  }
}

/** Converts an integer and a power of ten to a decimal. */
export function scaled(digits: string, exponent: number): string {
  const isNegative = digits.startsWith('-')
  const number = digits.replace('-', '')
  if (exponent >= 0) return `${isNegative ? '-' : ''}${BigInt(number) * 10n ** BigInt(exponent)}`
  const padded = number.padStart(-exponent + 1, '0')
  const fraction = padded.slice(exponent).replace(/0+$/, '')
  const whole = BigInt(padded.slice(0, exponent))
  return `${isNegative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

function settingsOf(priceFeed: PriceFeedSettings | undefined): PriceFeedSettings {
  if (priceFeed === undefined) throw new TypeError('prices are asked for without a feed')
  return priceFeed
}

const search = defineAction({
  name: 'price_search',
  title: 'Search prices',
  description:
    'Finds price feeds by a symbol, such as BTC or SEI/USD. Their ids are for price_get.',
  input: z.strictObject({
    query: z.string().regex(/^[A-Za-z0-9./ -]{1,40}$/, 'is no symbol'),
    assetType: z.enum(['crypto', 'equity', 'fx', 'metal', 'rates']).default('crypto'),
  }),
  output: z.strictObject({
    feeds: z.array(z.strictObject({ id: z.string(), symbol: z.string(), description: z.string() })),
  }),
  readOnly: true,
  destructive: false,
  async invoke({ query, assetType }, { priceFeed }, signal) {
    const asked = new URLSearchParams({ query, asset_type: assetType })
    const path = `/v2/price_feeds?${asked}`
    const found = await ask(settingsOf(priceFeed), path, foundShape, signal)
    const feeds = found.slice(0, MAX_FOUND).map(({ id, attributes }) => ({
      id,
      symbol: plainText(attributes.display_symbol ?? attributes.symbol ?? '', 40),
      description: plainText(attributes.description ?? '', 100),
    }))
    const listed = feeds.map(({ symbol, id }) => `"${symbol}" is ${id}`).join('; ')
    return { text: listed === '' ? 'No feed has that symbol.' : `${listed}.`, data: { feeds } }
  },
})

const price = defineAction({
  name: 'price_get',
  title: 'Get a price',
  description:
    'Reads the latest price of a feed by its id, with its confidence and its age. Prices that are too old are refused.',
  input: z.strictObject({
    id: feedId,
    maxAgeSeconds: z.int().min(1).max(86_400).default(60),
  }),
  output: z.strictObject({
    id: z.string(),
    price: z.string(),
    confidence: z
      .string()
      .describe('the true price differs by more than this with a probability of one third'),
    publishTime: integerOutput.describe('seconds since 1970'),
    ageSeconds: z.int(),
  }),
  readOnly: true,
  destructive: false,
  async invoke({ id, maxAgeSeconds }, { priceFeed }, signal) {
    const asked = new URLSearchParams([
      ['ids[]', id],
      ['parsed', 'true'],
    ])
    const path = `/v2/updates/price/latest?${asked}`
    const { parsed } = await ask(settingsOf(priceFeed), path, latestShape, signal)
    const found = parsed.find((one) => one.id === id)
    if (found === undefined) {
      throw new ActionError('NOT_FOUND', `there is no price ${id}`, {
        next: 'search with price_search',
      })
    }
    const { price, conf, expo, publish_time } = found.price
    const ageSeconds = Math.max(0, Math.floor(Date.now() / 1000) - publish_time)
    if (ageSeconds > maxAgeSeconds) {
      throw new ActionError('FEED_FAILED', `the price is ${ageSeconds} seconds old`, {
        next: 'ask again later, or allow an older one with maxAgeSeconds',
        details: { ageSeconds },
      })
    }
    const [shown, confidence] = [scaled(price, expo), scaled(conf, expo)]
    return {
      text: `${shown} (plus or minus ${confidence}), ${ageSeconds} seconds ago.`,
      data: { id, price: shown, confidence, publishTime: `${publish_time}`, ageSeconds },
    }
  },
})

/** Off-chain prices from the HTTP API of Pyth's Hermes. */
export const priceFeedProvider: ActionProvider = {
  name: 'price_feed',
  needs: ['priceFeed'],
  actions: [search, price],
}
