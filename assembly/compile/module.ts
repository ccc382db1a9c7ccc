import { byte, bytes, cursor, setCursor, unsigned, writeSize } from './bytes'
import { IMPORTED } from './call'
import { BODY, OUTPUT } from './layout'
import { wordLocals } from './local'
import * as wasm from './wasm'

/** Writes the module around a body. Its imports are named by single letters (host/evm/engine/code-compiler.ts). */

/** Signatures: parameters, then the result. */
const TYPE_RUN: u32 = 0
const TYPE_GROW: u32 = 1
const TYPE_INSTRUCT: u32 = 2
const TYPE_COMPUTE: u32 = 3
const TYPE_ARITHMETIC: u32 = 4

let sectionAt: usize = 0

function beginSection(id: u32): void {
  byte(id)
  sectionAt = cursor()
  setCursor(sectionAt + 5)
}

function endSection(): void {
  writeSize(sectionAt, u32(cursor() - sectionAt - 5))
}

function signature(a: u32, b: u32, c: u32, d: u32, result: u32): void {
  byte(wasm.TYPE_FUNCTION)
  const count = u32(a != 0) + u32(b != 0) + u32(c != 0) + u32(d != 0)
  byte(count)
  if (a != 0) byte(a)
  if (b != 0) byte(b)
  if (c != 0) byte(c)
  if (d != 0) byte(d)
  byte(result == 0 ? 0 : 1)
  if (result != 0) byte(result)
}

/** Begins an import from the module "e" with a name of one letter. */
function importName(letter: u32, kind: u32): void {
  byte(1)
  byte(0x65)
  byte(1)
  byte(letter)
  byte(kind)
}

function importFunction(letter: u32, type: u32): void {
  importName(letter, 0)
  unsigned(type)
}

function importGlobal(letter: u32, type: u32): void {
  importName(letter, 3)
  byte(type)
  byte(1)
}

/** Writes the module whose function is the body of `size` bytes, and returns its size. */
export function writeModule(size: u32): u32 {
  const i32Type = wasm.TYPE_I32
  const i64Type = wasm.TYPE_I64
  setCursor(OUTPUT)
  store<u64>(OUTPUT, 0x0000_0001_6d73_6100)
  setCursor(OUTPUT + 8)
  beginSection(1)
  byte(5)
  signature(i32Type, i32Type, i64Type, i32Type, i32Type)
  signature(i64Type, i64Type, i64Type, 0, i64Type)
  signature(i32Type, i32Type, i32Type, i64Type, i32Type)
  signature(i32Type, 0, 0, 0, 0)
  signature(0, 0, 0, 0, 0)
  endSection()
  beginSection(2)
  byte(11)
  importName(0x6d, 2) // m
  byte(0)
  byte(0)
  importFunction(0x67, TYPE_GROW) // g
  importFunction(0x69, TYPE_INSTRUCT) // i
  importFunction(0x63, TYPE_COMPUTE) // c
  importFunction(0x75, TYPE_ARITHMETIC) // u
  importFunction(0x61, TYPE_ARITHMETIC) // a
  importFunction(0x78, TYPE_ARITHMETIC) // x
  importGlobal(0x62, i32Type) // b
  importGlobal(0x73, i64Type) // s
  importGlobal(0x70, i64Type) // p
  importGlobal(0x72, i32Type) // r
  endSection()
  beginSection(3)
  byte(1)
  byte(TYPE_RUN)
  endSection()
  beginSection(7)
  byte(1)
  byte(1)
  byte(0x66) // f
  byte(0)
  byte(IMPORTED)
  endSection()
  beginSection(10)
  byte(1)
  const bodyAt = cursor()
  setCursor(bodyAt + 5)
  byte(3)
  byte(7)
  byte(i32Type)
  byte(1)
  byte(wasm.TYPE_V128)
  unsigned(2 + wordLocals())
  byte(i64Type)
  bytes(BODY, size)
  byte(wasm.END)
  writeSize(bodyAt, u32(cursor() - bodyAt - 5))
  endSection()
  return u32(cursor() - OUTPUT)
}
