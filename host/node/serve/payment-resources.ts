import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../config/schema.ts'
import { JsonSource } from '../../payments/gate/json-source.ts'
import type { SoldResource } from '../../payments/gate/sold-resource.ts'
import { mediaTypeOf, StaticSource } from '../../payments/gate/static-source.ts'
import type { ChallengeStyle } from '../../payments/protocol/terms.ts'
import { type CommonTerms, refuse, termsOf } from './payment-terms.ts'

type Table = Config['payments']['resource'][number]

const DEV_PRICE = '0.001'

/** What a developer's node sells where nothing is configured: one resource in each style. */
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
    },
    source: new JsonSource(weather, style === 'contract'),
  })
  return [sold('/weather', 'contract'), sold('/x402/weather', 'x402')]
}

function soldAt(table: Table, common: CommonTerms, home: string): SoldResource {
  const { path, style, price, methods } = table
  const mediaType = table.mediaType === '' ? undefined : table.mediaType
  if (table.upstream !== '') {
    refuse(`upstream of ${path} is not served in this release`, 'write root in its place')
  }
  const root = resolve(home, table.root)
  if (!existsSync(root)) {
    refuse(`root = "${table.root}" of ${path}: there is no ${root}`, 'bring the file or the folder')
  }
  return {
    path,
    isTree: true,
    methods,
    priced: {
      path,
      description: table.description,
      mediaType: mediaType ?? mediaTypeOf(root),
      style,
      terms: termsOf(common, path, price),
    },
    source: new StaticSource({ path, root, mediaType, withMember: style === 'contract' }),
  }
}

/**
 * What the node sells.
 * @throws CONFIG_INVALID with what to change
 */
export function soldResources(
  { payments }: Config,
  common: CommonTerms,
  home: string,
  dev: boolean,
): readonly SoldResource[] {
  const { resource: tables } = payments
  if (tables.length === 0 && !dev) {
    refuse(
      'enable is true, and nothing is sold',
      'write a table [[payments.resource]] with path, price and root or upstream into app.toml',
    )
  }
  if (tables.length === 0) return devResources(common)
  return tables.map((table) => soldAt(table, common, home))
}
