import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../base/config/schema.ts'
import { JsonSource } from '../../payments/gate/json-source.ts'
import type { SoldResource } from '../../payments/gate/sold-resource.ts'
import { mediaTypeOf, StaticSource } from '../../payments/gate/static-source.ts'
import { UpstreamSource, type UpstreamSourceOptions } from '../../payments/gate/upstream-source.ts'
import type { CallExample } from '../../payments/protocol/bazaar.ts'
import type { ChallengeStyle } from '../../payments/protocol/terms.ts'
import { type OtherTokens, otherTermsOf } from './other-tokens.ts'
import { type CommonTerms, refuseConfig, termsOf } from './payment-terms.ts'

type Table = Config['payments']['resource'][number]

const DEV_PRICE = '0.001'

/** Returns the default resources under --dev: one in each style. */
export function devResources(common: CommonTerms): readonly SoldResource[] {
  const weather = () => ({ city: 'Lisbon', weather: 'sunny', temperature: 24, unit: 'celsius' })
  const sold = (path: string, style: ChallengeStyle): SoldResource => ({
    path,
    isTree: false,
    methods: ['GET'],
    priced: {
      path,
      description: 'Weather of today',
      mediaType: 'application/json',
      style,
      terms: termsOf(common, path, DEV_PRICE),
      discovery: { response: weather() },
    },
    source: new JsonSource(weather, style === 'contract'),
  })
  return [sold('/weather', 'contract'), sold('/x402/weather', 'x402')]
}

/** Options that all upstreams share. */
type UpstreamParts = Omit<UpstreamSourceOptions, 'url' | 'withMember'>

/** Returns how a discoverable resource is called; undefined if it is not discoverable. */
function exampleOf(table: Table): CallExample | undefined {
  const { discovery, exampleQuery, exampleBody, exampleResponse } = table
  if (!discovery) return undefined
  return {
    ...(exampleQuery !== '' && { query: Object.fromEntries(new URLSearchParams(exampleQuery)) }),
    ...(exampleBody !== '' && { body: JSON.parse(exampleBody) as unknown }),
    ...(exampleResponse !== '' && { response: JSON.parse(exampleResponse) as unknown }),
  }
}

function soldAt(
  table: Table,
  common: CommonTerms,
  { home, upstream, tokens }: ResourceSite,
): SoldResource {
  const { path, style, price, methods } = table
  const discovery = exampleOf(table)
  const mediaType = table.mediaType === '' ? undefined : table.mediaType
  const priced = {
    path,
    description: table.description,
    style,
    terms: termsOf(common, path, price),
    ...(table.otherPrices.length > 0 && { otherTerms: otherTermsOf(table, tokens) }),
    ...(discovery !== undefined && { discovery }),
  }
  const withMember = style === 'contract'
  if (table.upstream !== '') {
    const source = new UpstreamSource({ ...upstream, url: table.upstream, withMember })
    const mimeType = mediaType ?? 'application/json'
    return { path, isTree: true, methods, priced: { ...priced, mediaType: mimeType }, source }
  }
  const root = resolve(home, table.root)
  if (!existsSync(root)) {
    refuseConfig(
      `root = "${table.root}" of ${path}: ${root} does not exist`,
      'create the file or the folder',
    )
  }
  return {
    path,
    isTree: statSync(root).isDirectory(),
    methods,
    priced: { ...priced, mediaType: mediaType ?? mediaTypeOf(root) },
    source: new StaticSource({ path, root, mediaType, withMember }),
  }
}

export interface ResourceSite {
  readonly home: string
  readonly dev: boolean
  readonly upstream: UpstreamParts
  readonly tokens: OtherTokens
}

/**
 * Returns the resources that the node sells.
 * @throws CONFIG_INVALID with the remedy
 */
export function soldResources(
  { payments }: Config,
  common: CommonTerms,
  site: ResourceSite,
): readonly SoldResource[] {
  const { resource: tables } = payments
  if (tables.length === 0 && !site.dev) {
    refuseConfig(
      'enable is true, but nothing is sold',
      'write a table [[payments.resource]] with path, price and root or upstream into app.toml',
    )
  }
  if (tables.length === 0) return devResources(common)
  return tables.map((table) => soldAt(table, common, site))
}
