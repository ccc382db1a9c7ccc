import { expect, test } from 'vitest'
import {
  errorsOf,
  WALLET_ROUTES,
  type WalletRoute,
} from '../../../../host/wallet/protocol/route-table.ts'
import { WALLET_ERRORS } from '../../../../host/wallet/protocol/wallet-error.ts'
import { openApiDocument } from '../../../../host/wallet/service/open-api.ts'
import { openFixture } from './service-fixture.ts'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { name?: string; in?: string; $ref?: string }[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
}

const DOCUMENT = openApiDocument() as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test('the document has each route of the table once, and nothing else', () => {
  const documented = OPERATIONS.map(
    ({ path, method, operation }) => `${operation.operationId} ${method.toUpperCase()} ${path}`,
  )
  const routes = Object.entries(WALLET_ROUTES).map(
    ([name, { method, path }]) => `${name} ${method} ${path}`,
  )
  expect(documented.sort()).toEqual(routes.sort())
  expect(new Set(routes.map((route) => route.split(' ').slice(1).join(' '))).size).toBe(
    routes.length,
  )
})

test('each operation has the statuses of its errors, its ids and its body', () => {
  for (const { operation, path } of OPERATIONS) {
    const route: WalletRoute = WALLET_ROUTES[operation.operationId as keyof typeof WALLET_ROUTES]
    const statuses = errorsOf(route).map((code) => String(WALLET_ERRORS[code].status))
    expect(Object.keys(operation.responses).sort()).toEqual(
      [...new Set(['200', ...statuses])].sort(),
    )
    expect(operation.requestBody !== undefined).toBe(route.body !== undefined)
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{[a-z_]+\}/g) ?? [])
  }
})

test('every reference in the document can be resolved', () => {
  const text = JSON.stringify(DOCUMENT)
  const found = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string)
  expect(found.length).toBeGreaterThan(100)
  for (const path of new Set(found)) {
    const target = path
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], DOCUMENT)
    expect(target, path).toBeDefined()
  }
})

test('the document is served unchanged without credentials', async () => {
  const { ask } = openFixture()
  const headers = { authorization: undefined, 'wallet-app-id': undefined }
  const answer = await ask({ method: 'GET', path: '/v1/openapi.json', headers })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual(JSON.parse(JSON.stringify(DOCUMENT)))
})

test('the service knows every route of the document, under both base paths', async () => {
  const { ask } = openFixture({ pipeline: { find: () => undefined } })
  for (const { path, method } of OPERATIONS) {
    for (const base of ['', '/api']) {
      const target = `${base}${path.replace(/\{[a-z_]+\}/g, 'abc')}`
      const { status } = await ask({
        method: method.toUpperCase(),
        path: target,
        headers: { authorization: undefined },
      })
      expect([target, status]).toEqual([target, path === '/v1/openapi.json' ? 200 : 401])
    }
  }
})
