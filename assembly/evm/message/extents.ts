import {
  ACCESS_LIST,
  ACCESS_LIST_END,
  ACCOUNT_INDEX,
  ACCOUNT_INDEX_BITS,
  ACCOUNTS,
  BLOCK_HASHES,
  CODE_INDEX,
  CODE_INDEX_BITS,
  CODES,
  FRAME_SIZE,
  JOURNAL,
  LOGS_END,
  MEMORIES,
  MEMORIES_END,
  MESSAGE,
  OVERFLOW,
  RETURN_DATA,
  SCRATCH,
  SLOT_INDEX,
  SLOT_INDEX_BITS,
  SLOTS,
  STACKS,
  TRANSIENT_INDEX,
  TRANSIENT_INDEX_BITS,
} from '../../layout'
import { SP, top } from '../frame/frame'
import { memoryBase, memoryLimit, memorySize, transientFloor } from '../machine/memory'
import { returnSize } from '../machine/registers'
import { accessChangesStart, accessListEnd } from '../state/access-list'
import { accountsEnd } from '../state/account'
import { codesEnd } from '../state/code'
import { journalMark } from '../state/journal'
import { logsStart } from '../state/log-records'
import { slotsEnd } from '../state/slot'

let at: usize = 0

function add(start: usize, end: usize): void {
  store<u32>(at, u32(start))
  store<u32>(at, u32(end), 4)
  at += 8
}

/**
 * Writes the extents of memory that the running message uses and may change to `out` in ascending order, each as
 * start and end (u32). Returns their number. Everything below them is constant, scratch, or a cache whose contents do
 * not affect results. Block, message and trace buffer belong to the host.
 */
export function writeExtents(out: usize): u32 {
  at = out
  add(BLOCK_HASHES, MESSAGE)
  add(SCRATCH, top + FRAME_SIZE)
  add(STACKS, usize(load<u32>(top, SP)) + 32)
  add(RETURN_DATA, RETURN_DATA + usize(returnSize))
  add(JOURNAL, journalMark())
  add(logsStart, LOGS_END)
  const size = memoryLimit == MEMORIES_END ? 0 : 4 << TRANSIENT_INDEX_BITS
  add(TRANSIENT_INDEX, TRANSIENT_INDEX + size)
  add(ACCOUNTS, accountsEnd)
  add(ACCOUNT_INDEX, ACCOUNT_INDEX + (4 << ACCOUNT_INDEX_BITS))
  add(SLOTS, slotsEnd)
  add(SLOT_INDEX, SLOT_INDEX + (slotsEnd == SLOTS ? 0 : 4 << SLOT_INDEX_BITS))
  add(CODES, codesEnd())
  add(CODE_INDEX, CODE_INDEX + (4 << CODE_INDEX_BITS))
  add(ACCESS_LIST, accessListEnd())
  add(accessChangesStart(), ACCESS_LIST_END)
  add(MEMORIES, transientFloor())
  add(memoryLimit, MEMORIES_END)
  add(OVERFLOW, max(memoryBase + usize(memorySize), OVERFLOW))
  return u32((at - out) >> 3)
}
