import { expect, test } from 'vitest'
import { storeError } from '../../../../host/storage/table/store-error.ts'

const PATH = '/data/chain.db'

/** Errors by Node's name and by LMDB's number. */
test.each<[unknown, string]>([
  ['ENOSPC', 'STORE_FULL'],
  [28, 'STORE_FULL'],
  ['EACCES', 'STORE_DENIED'],
  ['EROFS', 'STORE_DENIED'],
  ['EMFILE', 'STORE_DENIED'],
  ['ENFILE', 'STORE_DENIED'],
  [24, 'STORE_DENIED'],
  [-30796, 'STORE_CORRUPTED'],
])('the database error %s is reported as %s with its path', (code, expected) => {
  const error = storeError(PATH, Object.assign(new Error('what the system says'), { code }))
  expect(error.code).toBe(expected)
  expect(error.message).toContain(PATH)
})

test('a process without free file descriptors is not advised to restore a backup', () => {
  const error = storeError(
    PATH,
    Object.assign(new Error('too many open files'), { code: 'EMFILE' }),
  )
  expect(error.hint).toBe(
    'let the process open more files: run `ulimit -n 65536` before you start it',
  )
})
