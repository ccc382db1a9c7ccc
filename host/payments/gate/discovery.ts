import type { HttpHandler, HttpResponse } from '../../api/server/server.ts'
import { extensionsOf, requirementV2 } from '../protocol/challenge.ts'
import { allTerms } from '../protocol/terms.ts'
import { type GateAddress, gateBase } from './gate-base.ts'
import type { SoldResource } from './sold-resource.ts'

export const DISCOVERY_PATH = '/discovery/resources'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'access-control-allow-origin': '*',
}

function refused(status: number, error: string, headers = {}): HttpResponse {
  return { status, headers: { ...HEADERS, ...headers }, body: JSON.stringify({ error }) }
}

/** Parses a query parameter; `fallback` if it is absent, undefined if it is out of range. */
function countOf(text: string | null, fallback: number, least: number, most: number) {
  if (text === null) return fallback
  const count = /^[0-9]{1,9}$/.test(text) ? Number(text) : -1
  return count >= least && count <= most ? count : undefined
}

function itemOf({ priced, methods }: SoldResource, base: string, since: number): object {
  const { path, description, mediaType } = priced
  const [method = 'GET'] = methods
  const url = new URL(`${base}${path}`)
  return {
    resource: url.href,
    type: 'http',
    x402Version: 2,
    accepts: allTerms(priced).map(requirementV2),
    lastUpdated: since,
    description,
    mimeType: mediaType,
    metadata: { description, mimeType: mediaType, methods },
    extensions: extensionsOf(priced, method, url),
  }
}

/**
 * Lists the discoverable resources of a gate (x402 v2, section 8), to anyone.
 * @param since when the resources were configured, seconds since 1970
 */
export function discoveryHandler(
  resources: readonly SoldResource[],
  address: GateAddress,
  since: number,
): HttpHandler {
  const listed = resources.filter(({ priced }) => priced.discovery !== undefined)
  return ({ method, query, headers }) => {
    if (method !== 'GET' && method !== 'HEAD') {
      return refused(405, `${DISCOVERY_PATH} takes GET`, { allow: 'GET, HEAD' })
    }
    const asked = new URLSearchParams(query)
    const limit = countOf(asked.get('limit'), DEFAULT_LIMIT, 1, MAX_LIMIT)
    if (limit === undefined) return refused(400, `limit must be a number from 1 to ${MAX_LIMIT}`)
    const offset = countOf(asked.get('offset'), 0, 0, 999_999_999)
    if (offset === undefined) return refused(400, 'offset must be a number from 0 to 999999999')
    const type = asked.get('type') ?? 'http'
    const found = type === 'http' ? listed : []
    const base = gateBase(address, headers.get('host'))
    const items = found.slice(offset, offset + limit).map((one) => itemOf(one, base, since))
    const pagination = { limit, offset, total: found.length }
    return {
      status: 200,
      headers: HEADERS,
      body: JSON.stringify({ x402Version: 2, items, pagination }),
    }
  }
}
