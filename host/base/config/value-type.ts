import { parseDuration } from '../duration.ts'
import { postgresName } from '../postgres-url.ts'
import {
  orderUpgradePlans,
  parseUpgradePlan,
  UPGRADE_PLAN_RULE,
  type UpgradePlan,
} from '../upgrade-plan.ts'
import { type ListenAddress, parseListenAddress } from './listen-address.ts'
import { parseSignerAddress, type SignerAddress } from './signer-address.ts'

/** A value as written in a TOML file. */
export type TomlLiteral = string | number | boolean | readonly string[]

/** The allowed values of a key. */
export interface ValueType<T> {
  /**
   * Decodes the value of a TOML file or the text of a flag or environment variable, so one rule holds for every
   * source. Returns undefined if the value breaks the rule.
   */
  readonly decode: (value: unknown) => T | undefined
  /** Completes the sentence `must be ...`. */
  readonly rule: string
  /** Placeholder of the value in help texts. */
  readonly placeholder: string
}

export function bool(): ValueType<boolean> {
  return {
    decode: (value) => {
      if (value === true || value === 'true') return true
      return value === false || value === 'false' ? false : undefined
    },
    rule: 'true or false',
    placeholder: 'BOOL',
  }
}

/** A switch that exists only because configuration files have it: the node needs it to be true. */
export function alwaysTrue(): ValueType<true> {
  return {
    decode: (value) => (value === true || value === 'true' ? true : undefined),
    rule: 'true',
    placeholder: 'BOOL',
  }
}

export function integerType(placeholder: string, min: number, max?: number): ValueType<number> {
  const upper = max ?? Number.MAX_SAFE_INTEGER
  return {
    decode: (value) => {
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
      if (typeof number !== 'number' || !Number.isSafeInteger(number)) return undefined
      return number >= min && number <= upper ? number : undefined
    },
    rule: `an integer ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`,
    placeholder,
  }
}

export function textType(placeholder: string): ValueType<string> {
  return {
    decode: (value) => (typeof value === 'string' ? value : undefined),
    rule: 'text',
    placeholder,
  }
}

/** A prefix of metric names, as Prometheus allows it. */
export function metricNamespace(): ValueType<string> {
  return {
    decode: (value) =>
      typeof value === 'string' && /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(value) ? value : undefined,
    rule: 'letters, digits and underscores, not a digit first',
    placeholder: 'PREFIX',
  }
}

/** A BIP-32 path, with or without the slash before the index. */
export function derivationPath(): ValueType<string> {
  return {
    decode: (value) =>
      typeof value === 'string' && /^m(\/\d{1,10}'?)*\/?$/.test(value) ? value : undefined,
    rule: "a path such as m/44'/60'/0'/0/",
    placeholder: 'PATH',
  }
}

export function choice<const T extends string>(
  placeholder: string,
  values: readonly T[],
): ValueType<T> {
  return {
    decode: (value) => values.find((known) => known === value),
    rule: `one of ${values.join(', ')}`,
    placeholder,
  }
}

/** The source of a node's blocks: the engine in its process, or CometBFT beside it. */
export type EngineName = 'embedded' | 'cometbft'

export function engineName(): ValueType<EngineName> {
  return choice('ENGINE', ['embedded', 'cometbft'])
}

/** The role of a node; empty if the operator has not set one. */
export type NodeMode = 'validator' | 'full' | ''

export function nodeMode(): ValueType<NodeMode> {
  const modes: readonly NodeMode[] = ['validator', 'full', '']
  return {
    decode: (value) => modes.find((known) => known === value),
    rule: 'validator or full',
    placeholder: 'MODE',
  }
}

export function textList(placeholder: string): ValueType<readonly string[]> {
  return {
    decode: (value) => {
      const items: unknown = typeof value === 'string' ? value.split(',') : value
      if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) {
        return undefined
      }
      return items.map((item) => item.trim()).filter((item) => item !== '')
    },
    rule: 'an array of strings, or one string with commas',
    placeholder,
  }
}

/** Lines whose text may have commas. */
export function lineList(placeholder: string): ValueType<readonly string[]> {
  return {
    decode: (value) => {
      const items: unknown = typeof value === 'string' ? value.split('\n') : value
      if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) {
        return undefined
      }
      return items.map((item) => item.trim()).filter((item) => item !== '')
    },
    rule: 'an array of strings, or one string with a line for each',
    placeholder,
  }
}

/** Written as a Go duration, decoded to milliseconds. */
export function duration(minMs = 0): ValueType<number> {
  return {
    decode: (value) => {
      const ms = typeof value === 'string' ? parseDuration(value) : undefined
      return ms !== undefined && ms >= minMs ? ms : undefined
    },
    rule: `a duration such as 400ms, 30s or 1m30s${minMs > 0 ? `, at least ${minMs}ms` : ''}`,
    placeholder: 'DURATION',
  }
}

const WEI_OF_UNIT = { wei: 1n, gwei: 1_000_000_000n } as const

/** Decoded to wei per unit of gas. */
export function gasPriceType(): ValueType<bigint> {
  return {
    decode: (value) => {
      const source = typeof value === 'number' ? `${value}` : value
      if (typeof source !== 'string') return undefined
      const [, digits, unit] = /^(\d{1,30})(wei|gwei)?$/.exec(source) ?? []
      if (digits === undefined) return undefined
      return BigInt(digits) * WEI_OF_UNIT[unit === 'gwei' ? 'gwei' : 'wei']
    },
    rule: 'a whole number of wei or gwei, such as 1000000000wei or 1gwei',
    placeholder: 'PRICE',
  }
}

export function listenAddress(): ValueType<ListenAddress> {
  return {
    decode: (value) => (typeof value === 'string' ? parseListenAddress(value) : undefined),
    rule: 'an address such as tcp://127.0.0.1:26657',
    placeholder: 'ADDRESS',
  }
}

/** One address, or an empty list if the text is empty. */
export function optionalListenAddress(): ValueType<readonly ListenAddress[]> {
  const { decode } = listenAddress()
  return {
    decode: (value) => {
      if (value === '') return []
      const address = decode(value)
      return address === undefined ? undefined : [address]
    },
    rule: 'an address such as tcp://127.0.0.1:26670, or empty',
    placeholder: 'ADDRESS',
  }
}

/** One address of a remote signer, or an empty list if the text is empty. */
export function optionalSignerAddress(): ValueType<readonly SignerAddress[]> {
  return {
    decode: (value) => {
      if (value === '') return []
      const address = typeof value === 'string' ? parseSignerAddress(value) : undefined
      return address === undefined ? undefined : [address]
    },
    rule: 'an address such as tcp://127.0.0.1:26659 or unix:///run/signer.sock, or empty',
    placeholder: 'ADDRESS',
  }
}

/** Upgrade plans in order of height. */
export function upgradePlanList(): ValueType<readonly UpgradePlan[]> {
  const { decode } = textList('PLANS')
  return {
    decode: (value) => {
      const plans = decode(value)?.map(parseUpgradePlan)
      return plans?.every((plan) => plan !== undefined) ? orderUpgradePlans(plans) : undefined
    },
    rule: UPGRADE_PLAN_RULE,
    placeholder: 'PLANS',
  }
}

/** Address of an account or a contract, or empty. */
export function accountAddress(): ValueType<string> {
  return {
    decode: (value) =>
      typeof value === 'string' && /^(?:0x[0-9a-fA-F]{40})?$/.test(value) ? value : undefined,
    rule: 'an address of 0x and 40 hex digits, or empty',
    placeholder: 'ADDRESS',
  }
}

/** Addresses as accepted by `accountAddress`, none of them empty. */
export function accountAddressList(): ValueType<readonly string[]> {
  const { decode } = textList('ADDRESSES')
  const address = accountAddress()
  return {
    decode: (value) => {
      const addresses = decode(value)
      const areRight = addresses?.every((item) => item !== '' && address.decode(item) === item)
      return areRight ? addresses : undefined
    },
    rule: 'an array of addresses of 0x and 40 hex digits',
    placeholder: 'ADDRESSES',
  }
}

/** An http or https URL without query, fragment and trailing slash; or empty. */
export function httpUrl(): ValueType<string> {
  return {
    decode: (value) => {
      if (value === '') return ''
      const url = typeof value === 'string' ? URL.parse(value) : null
      if (url === null || !/^https?:$/.test(url.protocol)) return undefined
      const { search, hash, username, password } = url
      if (`${search}${hash}${username}${password}` !== '') return undefined
      return url.href.replace(/\/+$/, '')
    },
    rule: 'an http or https URL without user, query and fragment, or empty',
    placeholder: 'URL',
  }
}

/** URLs as accepted by `httpUrl`, none of them empty. */
export function httpUrlList(): ValueType<readonly string[]> {
  const { decode } = textList('URLS')
  const url = httpUrl()
  return {
    decode: (value) => {
      const urls = decode(value)?.map((item) => url.decode(item))
      return urls?.every((item) => item !== undefined) ? urls : undefined
    },
    rule: 'an array of http or https URLs without user, query and fragment',
    placeholder: 'URLS',
  }
}

/** The URL of a PostgreSQL database, or empty. */
export function databaseUrl(): ValueType<string> {
  return {
    decode: (value) =>
      typeof value === 'string' && (value === '' || postgresName(value) !== undefined)
        ? value
        : undefined,
    rule: 'a URL such as postgres://user:password@host:5432/database, or empty',
    placeholder: 'URL',
  }
}

/** CAIP-2 name of an EVM chain. */
export function caip2Name(): ValueType<string> {
  return {
    decode: (value) =>
      typeof value === 'string' && /^eip155:[1-9]\d{0,31}$/.test(value) ? value : undefined,
    rule: 'the CAIP-2 name of an EVM chain, such as eip155:1329',
    placeholder: 'CHAIN',
  }
}

/** Path of a URL from characters with only one spelling, to rule out path tricks. */
export function urlPath(): ValueType<string> {
  return {
    decode: (value) =>
      typeof value === 'string' && /^(?:\/|(?:\/(?!\.)[\w.~-]*[\w~-])+)$/.test(value)
        ? value
        : undefined,
    rule: 'a path such as /weather of letters, digits and - . _ ~, without a trailing slash',
    placeholder: 'PATH',
  }
}

/** A token amount as accepted by `formatTokenAmount`, or empty. */
export function optionalTokenAmount(): ValueType<string> {
  const amount = tokenAmountType()
  return {
    ...amount,
    decode: (value) => (value === '' ? '' : amount.decode(value)),
    rule: `${amount.rule}, or empty`,
  }
}

/** A decimal token amount. The text is kept, because the token sets the decimals. */
export function tokenAmountType(): ValueType<string> {
  return {
    decode: (value) =>
      typeof value === 'string' && /^\d{1,30}(?:\.\d{1,30})?$/.test(value) && /[1-9]/.test(value)
        ? value
        : undefined,
    rule: 'a number of tokens above zero in quotes, such as "0.001"',
    placeholder: 'AMOUNT',
  }
}

/** A price in a token that is named by its contract. */
export interface TokenPrice {
  /** In whole tokens. */
  readonly price: string
  readonly asset: string
}

/** Maximum entries: a challenge in a header has them all. */
const MAX_PRICES = 8

/** Prices in tokens, each written as `0.05 0x...`. */
export function priceList(): ValueType<readonly TokenPrice[]> {
  const { decode } = textList('PRICES')
  const amount = tokenAmountType()
  const address = accountAddress()
  return {
    decode: (value) => {
      const prices = decode(value)?.map((text) => {
        const [price = '', asset = '', ...rest] = text.split(/ +/)
        const isRight =
          rest.length === 0 && amount.decode(price) === price && address.decode(asset) === asset
        return isRight && asset !== '' ? { price, asset } : undefined
      })
      if (prices === undefined || prices.length > MAX_PRICES) return undefined
      return prices.every((price) => price !== undefined) ? prices : undefined
    },
    rule: `an array of at most ${MAX_PRICES} prices such as "0.05 0x4020000000000000000000000000000000000402"`,
    placeholder: 'PRICES',
  }
}

/** Maximum characters of an example: a challenge in a header has it. */
const MAX_EXAMPLE = 512

/** Query parameters, each once; or empty. */
export function exampleQuery(): ValueType<string> {
  return {
    decode: (value) => {
      if (typeof value !== 'string' || value.length > MAX_EXAMPLE) return undefined
      const names = [...new URLSearchParams(value).keys()]
      const isRight = new Set(names).size === names.length && !names.includes('')
      return isRight && !value.startsWith('?') ? value : undefined
    },
    rule: `query parameters without ?, each once, of at most ${MAX_EXAMPLE} characters`,
    placeholder: 'QUERY',
  }
}

/** A text of JSON, or empty. */
export function exampleJson(): ValueType<string> {
  return {
    decode: (value) => {
      if (typeof value !== 'string' || value.length > MAX_EXAMPLE) return undefined
      if (value === '') return ''
      try {
        JSON.parse(value)
      } catch {
        return undefined
      }
      return value
    },
    rule: `JSON of at most ${MAX_EXAMPLE} characters as a string`,
    placeholder: 'JSON',
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** HTTP methods with a response to sell, at least one. */
export function httpMethods(): ValueType<readonly string[]> {
  const { decode } = textList('METHODS')
  return {
    decode: (value) => {
      const methods = decode(value)
      return methods?.every((method) => METHODS.includes(method)) && methods.length > 0
        ? methods
        : undefined
    },
    rule: `an array of ${METHODS.join(', ')}`,
    placeholder: 'METHODS',
  }
}
