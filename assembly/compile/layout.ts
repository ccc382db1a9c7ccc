/** The memory map of compile.wasm. The compiler's static data lies below CODE. */
/** The code to compile, padded by zeros, with room for the largest of any revision, and the bitmap of its jump destinations. */
export const CODE: usize = 1 << 18
export const CODE_SIZE: usize = 128 * 1024
export const BITMAP: usize = CODE + CODE_SIZE + 64
/** The compiled module. */
export const OUTPUT: usize = 1 << 19
/** The body of its function, before its header is known. */
export const BODY: usize = 1 << 20
/** Bytes of a body at which the compiler stops: V8 compiles that much at the first call, in a millisecond or two. */
export const BODY_SIZE: usize = 96 * 1024
/** Instances of blocks (instance.ts). */
export const INSTANCES: usize = BODY + (1 << 19)
/** Numbers of the locals of slots (local.ts). */
export const SLOT_LOCALS: usize = INSTANCES + (1 << 17)
/** References to each temporary local (local.ts). */
export const REFERENCES: usize = SLOT_LOCALS + 4096
/** The symbolic stack (stack.ts). */
export const VALUES: usize = REFERENCES + 8192
/** Operands and result of an opcode (value.ts). */
export const OPERANDS: usize = VALUES + 16384
