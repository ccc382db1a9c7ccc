import { ACCOUNT_ROW, CLEARED_ROW, STORAGE_ROW } from '../../../../../host/evm/engine/state-diff.ts'
import type { Changeset } from '../../../../../host/evm/state/changeset.ts'
import type { KeyValue, RangeOptions } from '../../../../../host/storage/store/state/keyed-table.ts'
import type { StateReads } from './state-answers.ts'

interface Written {
  readonly height: number
  /** Undefined if the key was deleted. */
  readonly value: Uint8Array | undefined
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

function* rowsOf(bytes: Uint8Array, width: number): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += width) yield bytes.slice(at, at + width)
}

/** The reference for the state store: every value ever written, in one list per key. */
export class SplitModel implements StateReads {
  readonly #written = new Map<string, Written[]>()

  apply({ height, evm, legacy, modules }: Changeset): void {
    for (const row of rowsOf(evm.accounts, ACCOUNT_ROW)) {
      const record = row.slice(20)
      this.#write(`account/${hex(row.slice(0, 20))}`, height, isZero(record) ? undefined : record)
    }
    for (const address of rowsOf(evm.cleared, CLEARED_ROW)) {
      for (const name of this.#names(`slot/${hex(address)}`)) this.#write(name, height, undefined)
    }
    for (const row of rowsOf(evm.storage, STORAGE_ROW)) {
      const value = row.slice(52)
      this.#write(`slot/${hex(row.slice(0, 52))}`, height, isZero(value) ? undefined : value)
    }
    for (const { codeHash, code } of evm.codes) this.#write(`code/${hex(codeHash)}`, height, code)
    for (const { key, value } of legacy) this.#write(`legacy/${hex(key)}`, height, value)
    for (const { module, writes } of modules) {
      for (const { key, value } of writes) this.#write(`${module}/${hex(key)}`, height, value)
    }
  }

  account(address: Uint8Array, height: number): Uint8Array | undefined {
    return this.#find(`account/${hex(address)}`, height)
  }

  storage(address: Uint8Array, slot: Uint8Array, height: number): Uint8Array | undefined {
    return this.#find(`slot/${hex(address)}${hex(slot)}`, height)
  }

  code(codeHash: Uint8Array, height: number): Uint8Array | undefined {
    return this.#find(`code/${hex(codeHash)}`, height)
  }

  legacy(key: Uint8Array, height: number): Uint8Array | undefined {
    return this.#find(`legacy/${hex(key)}`, height)
  }

  get(module: string, key: Uint8Array, height: number): Uint8Array | undefined {
    return this.#find(`${module}/${hex(key)}`, height)
  }

  has(module: string, key: Uint8Array, height: number): boolean {
    return this.get(module, key, height) !== undefined
  }

  range(module: string, { height, start, end, reverse = false }: RangeOptions): KeyValue[] {
    const rows: KeyValue[] = []
    // Hex strings sort as bytes do.
    for (const name of this.#names(`${module}/`).sort()) {
      const key = Uint8Array.from(Buffer.from(name.slice(module.length + 1), 'hex'))
      if (start !== undefined && Buffer.compare(key, start) < 0) continue
      if (end !== undefined && Buffer.compare(key, end) >= 0) continue
      const value = this.#find(name, height)
      if (value !== undefined) rows.push({ key, value })
    }
    return reverse ? rows.reverse() : rows
  }

  #write(name: string, height: number, value: Uint8Array | undefined): void {
    const written = this.#written.get(name) ?? []
    written.push({ height, value })
    this.#written.set(name, written)
  }

  #find(name: string, height: number): Uint8Array | undefined {
    return this.#written.get(name)?.findLast((each) => each.height <= height)?.value
  }

  #names(prefix: string): string[] {
    return [...this.#written.keys()].filter((name) => name.startsWith(prefix))
  }
}
