import type { StoreLayout } from './layout.ts'
import { lockstepLayout } from './lockstep.ts'
import { NAIVE_LEVELDB } from './naive-leveldb.ts'
import { NAIVE_LMDB } from './naive-lmdb.ts'
import { NAIVE_ROCKSDB } from './naive-rocksdb.ts'

export const LAYOUTS: readonly StoreLayout[] = [
  lockstepLayout('lockstep', 'lmdb', true),
  lockstepLayout('lockstep-rocksdb', 'rocksdb', true),
  NAIVE_LMDB,
  NAIVE_LEVELDB,
  NAIVE_ROCKSDB,
]
