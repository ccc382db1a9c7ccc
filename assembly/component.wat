;; The component of engine.wit over engine.wasm: the canonical ABI over its fixed buffers.
;; tools/component.ts appends these functions to the built module; they use its exports by name.

;; Results follow those of the functions that only the core module has: `hash`, `recover` and the peeks use at
;; most 72 bytes at `resultAt`.
(func $area (result i32) (i32.add (global.get $resultAt) (i32.const 144)))

;; 1 from the end of a message to the beginning of the next.
(func $isDone (result i32) (i32.load offset=128 (global.get $resultAt)))
(func $setDone (param $done i32)
  (i32.store offset=128 (global.get $resultAt) (local.get $done)))

(func $abandonMessage (export "lockstep:engine/engine#abandon")
  (call $setDone (i32.const 0))
  (call $abandon))

;; Space for tables of results: that of the message, while none is running.
(func $scratch (param $size i32) (result i32)
  (if (i32.gt_u (local.get $size) (global.get $messageSize)) (then (unreachable)))
  (global.get $messageAt))

(func $storeList (param $at i32) (param $bytes i32) (param $length i32)
  (i32.store (local.get $at) (local.get $bytes))
  (i32.store offset=4 (local.get $at) (local.get $length)))

;; Address of the next list of a call's arguments, and the end of the free space for lists that do not fit there.
;; 0 stands for the initial value.
(func $argumentsAt (result i32)
  (select
    (i32.load offset=132 (global.get $resultAt))
    (global.get $answerAt)
    (i32.load offset=132 (global.get $resultAt))))

(func $argumentsEnd (result i32)
  (select
    (i32.load offset=136 (global.get $resultAt))
    (i32.add (global.get $messageAt) (global.get $messageSize))
    (i32.load offset=136 (global.get $resultAt))))

;; Frees the arguments of this call after they are read, for those of the next one.
(func $takeArguments
  (i64.store offset=132 align=4 (global.get $resultAt) (i64.const 0)))

;; Allocates arguments in the space for answers. Only a message may not fit there. It starts a new message, so it
;; goes to the end of the message's space.
(func (export "cabi_realloc")
  (param $old i32) (param $oldSize i32) (param $align i32) (param $size i32) (result i32)
  (local $at i32)
  (local.set $at (i32.and (i32.add (call $argumentsAt) (i32.const 7)) (i32.const -8)))
  (if
    (i32.le_u
      (local.get $size)
      (i32.sub
        (i32.add (global.get $answerAt) (global.get $answerSize)) (local.get $at)))
    (then
      (i32.store offset=132
        (global.get $resultAt) (i32.add (local.get $at) (local.get $size)))
      (return (local.get $at))))
  (call $abandonMessage)
  (local.set $at (call $argumentsEnd))
  (if
    (i32.gt_u (local.get $size) (i32.sub (local.get $at) (global.get $messageAt)))
    (then (unreachable)))
  (local.set $at (i32.and (i32.sub (local.get $at) (local.get $size)) (i32.const -8)))
  (i32.store offset=136 (global.get $resultAt) (local.get $at))
  (local.get $at))

;; Copies the list at `list` to `to`. Returns false if it does not have `length` bytes.
(func $copyList (param $to i32) (param $list i32) (param $length i32) (result i32)
  (if (i32.ne (i32.load offset=4 (local.get $list)) (local.get $length))
    (then (return (i32.const 0))))
  (memory.copy (local.get $to) (i32.load (local.get $list)) (local.get $length))
  (i32.const 1))

;; Writes the big-endian bytes of the list at `list` as a word at `to`. Returns false if they are not 32.
(func $copyWordBytes (param $to i32) (param $list i32) (result i32)
  (local $byte i32)
  (if (i32.ne (i32.load offset=4 (local.get $list)) (i32.const 32))
    (then (return (i32.const 0))))
  (loop $next
    (i32.store8
      (i32.add (local.get $to) (local.get $byte))
      (i32.load8_u
        (i32.add
          (i32.load (local.get $list)) (i32.sub (i32.const 31) (local.get $byte)))))
    (local.set $byte (i32.add (local.get $byte) (i32.const 1)))
    (br_if $next (i32.lt_u (local.get $byte) (i32.const 32))))
  (i32.const 1))

;; Writes the record of engine.wit in the layout of evm/context/block.ts.
(func (export "lockstep:engine/engine#begin-block") (param $record i32) (result i32)
  (local $block i32)
  (local.set $block (global.get $blockAt))
  (call $takeArguments)
  (call $setDone (i32.const 0))
  (memory.fill (local.get $block) (i32.const 0) (i32.const 224))
  (i32.store (local.get $block) (i32.load8_u (local.get $record)))
  (i32.store offset=4 (local.get $block) (i32.load8_u offset=1 (local.get $record)))
  ;; Number, time, limit and seed have the same layout here, and so do the three words.
  (memory.copy
    (i32.add (local.get $block) (i32.const 8))
    (i32.add (local.get $record) (i32.const 8))
    (i32.const 32))
  (memory.copy
    (i32.add (local.get $block) (i32.const 64))
    (i32.add (local.get $record) (i32.const 40))
    (i32.const 96))
  (i64.store offset=40 (local.get $block) (i64.load offset=152 (local.get $record)))
  (if
    (i32.eqz
      (i32.and
        (call $copyWordBytes
          (i32.add (local.get $block) (i32.const 160))
          (i32.add (local.get $record) (i32.const 136)))
        (call $copyList
          (i32.add (local.get $block) (i32.const 192))
          (i32.add (local.get $record) (i32.const 144))
          (i32.const 20))))
    (then (return (i32.const 0))))
  (call $beginBlock)
  (i32.const 1))

(export "lockstep:engine/engine#forget-code" (func $forgetCode))

;; Returns the bytes of an access list's rows, including entries with a key or address of another length.
(func $accessListSize (param $entry i32) (param $count i32) (result i32)
  (local $size i32)
  (block $counted
    (loop $next
      (br_if $counted (i32.eqz (local.get $count)))
      (local.set $size
        (i32.add
          (local.get $size)
          (i32.add (i32.const 24) (i32.load offset=12 (local.get $entry)))))
      (local.set $entry (i32.add (local.get $entry) (i32.const 16)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next)))
  (local.get $size))

;; Writes rows of an access list to `to`: address, number of keys, keys. Returns the address after them, or 0 if a
;; list has another length.
(func $writeAccessList (param $to i32) (param $entry i32) (param $count i32) (result i32)
  (local $size i32)
  (block $written
    (loop $next
      (br_if $written (i32.eqz (local.get $count)))
      (local.set $size (i32.load offset=12 (local.get $entry)))
      (if
        (i32.or
          (i32.eqz (call $copyList (local.get $to) (local.get $entry) (i32.const 20)))
          (i32.and (local.get $size) (i32.const 31)))
        (then (return (i32.const 0))))
      (i32.store offset=20 (local.get $to) (i32.shr_u (local.get $size) (i32.const 5)))
      (local.set $to (i32.add (local.get $to) (i32.const 24)))
      (memory.copy (local.get $to) (i32.load offset=8 (local.get $entry)) (local.get $size))
      (local.set $to (i32.add (local.get $to) (local.get $size)))
      (local.set $entry (i32.add (local.get $entry) (i32.const 16)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next)))
  (local.get $to))

;; Writes rows of 192 bytes to `to`: three words, r, s, the address. Returns the address after them, or 0 if a list
;; has another length.
(func $writeAuthorizations (param $to i32) (param $record i32) (param $count i32) (result i32)
  (block $written
    (loop $next
      (br_if $written (i32.eqz (local.get $count)))
      (memory.copy (local.get $to) (local.get $record) (i32.const 96))
      (if
        (i32.eqz
          (i32.and
            (call $copyList
              (i32.add (local.get $to) (i32.const 96))
              (i32.add (local.get $record) (i32.const 96))
              (i32.const 32))
            (i32.and
              (call $copyList
                (i32.add (local.get $to) (i32.const 128))
                (i32.add (local.get $record) (i32.const 104))
                (i32.const 32))
              (call $copyList
                (i32.add (local.get $to) (i32.const 160))
                (i32.add (local.get $record) (i32.const 112))
                (i32.const 20)))))
        (then (return (i32.const 0))))
      (local.set $to (i32.add (local.get $to) (i32.const 192)))
      (local.set $record (i32.add (local.get $record) (i32.const 120)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next)))
  (local.get $to))

;; Writes the record of engine.wit in the layout of evm/context/message-layout.ts, its parts after the header of 288
;; bytes.
(func (export "lockstep:engine/engine#begin-transaction") (param $record i32) (result i32)
  (local $message i32)
  (local $next i32)
  (local $free i32)
  (local $data i32)
  (local $size i32)
  (local.set $message (global.get $messageAt))
  ;; Arguments in the space of the message begin here.
  (local.set $free (call $argumentsEnd))
  (call $takeArguments)
  (call $abandonMessage)
  (local.set $data (i32.load offset=172 (local.get $record)))
  (local.set $size (i32.load offset=176 (local.get $record)))
  (local.set $next
    (i32.add
      (i32.add (local.get $message) (i32.const 288))
      (i32.add
        (i32.mul (i32.load offset=200 (local.get $record)) (i32.const 192))
        (i32.add
          (i32.load offset=192 (local.get $record))
          (call $accessListSize
            (i32.load offset=180 (local.get $record))
            (i32.load offset=184 (local.get $record)))))))
  (if
    (i32.or
      (i32.gt_u (local.get $next) (local.get $free))
      (i32.gt_u
        (i32.add (local.get $next) (local.get $size))
        (i32.add (local.get $message) (global.get $messageSize))))
    (then (return (i32.const 0))))
  (memory.fill (local.get $message) (i32.const 0) (i32.const 288))
  (i32.store (local.get $message) (i32.load (local.get $record)))
  ;; The first flag of the layout marks a creation.
  (i32.store offset=4
    (local.get $message)
    (i32.or
      (i32.shl (i32.load16_u offset=4 (local.get $record)) (i32.const 1))
      (i32.eqz (i32.load8_u offset=160 (local.get $record)))))
  (memory.copy
    (i32.add (local.get $message) (i32.const 56))
    (i32.add (local.get $record) (i32.const 8))
    (i32.const 16))
  ;; Both fees, the value and the fee for blobs.
  (memory.copy
    (i32.add (local.get $message) (i32.const 128))
    (i32.add (local.get $record) (i32.const 24))
    (i32.const 128))
  (if
    (i32.eqz
      (call $copyList
        (i32.add (local.get $message) (i32.const 8))
        (i32.add (local.get $record) (i32.const 152))
        (i32.const 20)))
    (then (return (i32.const 0))))
  (if (i32.load8_u offset=160 (local.get $record))
    (then
      (if
        (i32.eqz
          (call $copyList
            (i32.add (local.get $message) (i32.const 32))
            (i32.add (local.get $record) (i32.const 164))
            (i32.const 20)))
        (then (return (i32.const 0))))))
  (local.set $next (i32.add (local.get $message) (i32.const 288)))
  (call $storeList
    (i32.add (local.get $message) (i32.const 80))
    (local.get $next)
    (i32.load offset=200 (local.get $record)))
  (local.set $next
    (call $writeAuthorizations
      (local.get $next)
      (i32.load offset=196 (local.get $record))
      (i32.load offset=200 (local.get $record))))
  (if
    (i32.or
      (i32.eqz (local.get $next))
      (i32.and (i32.load offset=192 (local.get $record)) (i32.const 31)))
    (then (return (i32.const 0))))
  (call $storeList
    (i32.add (local.get $message) (i32.const 88))
    (local.get $next)
    (i32.shr_u (i32.load offset=192 (local.get $record)) (i32.const 5)))
  (memory.copy
    (local.get $next)
    (i32.load offset=188 (local.get $record))
    (i32.load offset=192 (local.get $record)))
  (local.set $next
    (i32.add (local.get $next) (i32.load offset=192 (local.get $record))))
  (call $storeList
    (i32.add (local.get $message) (i32.const 72))
    (local.get $next)
    (i32.load offset=184 (local.get $record)))
  (local.set $next
    (call $writeAccessList
      (local.get $next)
      (i32.load offset=180 (local.get $record))
      (i32.load offset=184 (local.get $record))))
  (if (i32.eqz (local.get $next)) (then (return (i32.const 0))))
  (call $storeList
    (i32.add (local.get $message) (i32.const 96)) (local.get $next) (local.get $size))
  (memory.copy (local.get $next) (local.get $data) (local.get $size))
  (call $beginTransaction)
  (i32.const 1))

;; A status: its case (u8), and from byte 8 on its payload, found at `needAt`.
(func (export "lockstep:engine/engine#run") (param $fuel i32) (result i32)
  (local $stop i32)
  (local $status i32)
  (local $need i32)
  (local.set $stop (call $area))
  (local.set $need (global.get $needAt))
  (local.set $status
    (call $run
      (select
        (local.get $fuel)
        (i32.const 0x7fffffff)
        (i32.ge_s (local.get $fuel) (i32.const 0)))))
  (call $setDone (i32.eqz (local.get $status)))
  (i32.store8 (local.get $stop) (local.get $status))
  (block $other
    (block $callHost
      (block $needBlockHash
        (block $needCode
          (block $needStorage
            (block $needAccount
              (br_table
                $other $needAccount $needStorage $needCode $needBlockHash $callHost $other
                (local.get $status)))
            (call $storeList
              (i32.add (local.get $stop) (i32.const 8)) (local.get $need) (i32.const 20))
            (br $other))
          (call $storeList
            (i32.add (local.get $stop) (i32.const 8)) (local.get $need) (i32.const 20))
          (call $storeList
            (i32.add (local.get $stop) (i32.const 16))
            (i32.add (local.get $need) (i32.const 32))
            (i32.const 32))
          (br $other))
        (call $storeList
          (i32.add (local.get $stop) (i32.const 8)) (local.get $need) (i32.const 32))
        (br $other))
      (i64.store offset=8 (local.get $stop) (i64.load (local.get $need)))
      (br $other))
    (call $storeList (i32.add (local.get $stop) (i32.const 8)) (local.get $need) (i32.const 20))
    (call $storeList
      (i32.add (local.get $stop) (i32.const 16))
      (i32.add (local.get $need) (i32.const 20))
      (i32.const 20))
    (call $storeList
      (i32.add (local.get $stop) (i32.const 24))
      (i32.load offset=44 (local.get $need))
      (i32.load offset=48 (local.get $need)))
    (i64.store offset=32 (local.get $stop) (i64.load offset=56 (local.get $need)))
    (memory.copy
      (i32.add (local.get $stop) (i32.const 40))
      (i32.add (local.get $need) (i32.const 64))
      (i32.const 32))
    (i32.store offset=72 (local.get $stop) (i32.load offset=52 (local.get $need)))
    (i32.store8 offset=76 (local.get $stop) (i32.load offset=40 (local.get $need))))
  (local.get $stop))

(func (export "lockstep:engine/engine#answer") (param $at i32) (param $length i32) (result i32)
  (call $takeArguments)
  (call $answer (local.get $length)))

;; Result of an operation: 0, 1 with the bytes at `resultAt`, or 2 if it is refused.
(func (export "lockstep:engine/engine#perform")
  (param $at i32) (param $length i32) (result i32)
  (local $performed i32)
  (call $takeArguments)
  (local.set $performed (call $perform (local.get $length)))
  (i32.store8
    (call $area)
    (select (i32.const 2) (local.get $performed) (i32.lt_s (local.get $performed) (i32.const 0))))
  (call $storeList
    (i32.add (call $area) (i32.const 4)) (global.get $resultAt) (i32.const 72))
  (call $area))

(func (export "lockstep:engine/engine#answer-host-call")
  (param $how i32) (param $gasUsed i64) (param $at i32) (param $length i32) (result i32)
  (call $takeArguments)
  (call $answerHostCall (local.get $how) (local.get $gasUsed) (local.get $length)))

;; Lists the `count` records of evm/state/log-records.ts from `record` on; rows of 24 bytes.
(func $listLogs (param $record i32) (param $count i32) (result i32)
  (local $rows i32)
  (local $row i32)
  (local $topics i32)
  (local $size i32)
  (local.set $rows (call $scratch (i32.mul (local.get $count) (i32.const 24))))
  (local.set $row (local.get $rows))
  (block $listed
    (loop $next
      (br_if $listed (i32.eqz (local.get $count)))
      (local.set $topics (i32.shl (i32.load offset=20 (local.get $record)) (i32.const 5)))
      (local.set $size (i32.load offset=24 (local.get $record)))
      (call $storeList (local.get $row) (local.get $record) (i32.const 20))
      (local.set $record (i32.add (local.get $record) (i32.const 32)))
      (call $storeList
        (i32.add (local.get $row) (i32.const 8)) (local.get $record) (local.get $topics))
      (local.set $record (i32.add (local.get $record) (local.get $topics)))
      (call $storeList
        (i32.add (local.get $row) (i32.const 16)) (local.get $record) (local.get $size))
      (local.set $record
        (i32.add
          (local.get $record)
          (i32.and (i32.add (local.get $size) (i32.const 7)) (i32.const -8))))
      (local.set $row (i32.add (local.get $row) (i32.const 24)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next)))
  (local.get $rows))

;; OUTCOME of evm/message/message.ts: the five numbers have the same layout here.
(func (export "lockstep:engine/engine#outcome") (result i32)
  (local $option i32)
  (local $outcome i32)
  (local $from i32)
  (local.set $option (call $area))
  (local.set $outcome (i32.add (local.get $option) (i32.const 8)))
  (local.set $from (global.get $outcomeAt))
  (i32.store (local.get $option) (call $isDone))
  (if (call $isDone)
    (then
      (memory.copy (local.get $outcome) (local.get $from) (i32.const 32))
      (call $storeList
        (i32.add (local.get $outcome) (i32.const 32))
        (i32.load offset=64 (local.get $from))
        (i32.load offset=32 (local.get $from)))
      (i32.store offset=40 (local.get $outcome) (i32.load offset=40 (local.get $from)))
      (call $storeList
        (i32.add (local.get $outcome) (i32.const 44))
        (i32.add (local.get $from) (i32.const 44))
        (i32.const 20))
      (call $storeList
        (i32.add (local.get $outcome) (i32.const 52))
        (call $listLogs
          (i32.load offset=68 (local.get $from)) (i32.load offset=36 (local.get $from)))
        (i32.load offset=36 (local.get $from)))))
  (local.get $option))

(func (export "lockstep:engine/engine#trace") (result i32)
  (call $storeList (call $area) (global.get $traceAt) (call $traceLength))
  (call $area))

(func (export "lockstep:engine/engine#payload")
  (param $at i32) (param $size i32) (result i32)
  (call $storeList (call $area) (local.get $at) (local.get $size))
  (call $area))

;; Writes the table at `table` of the header of evm/state/diff.ts as a list of bytes.
(func $storeTable (param $at i32) (param $table i32) (param $rowSize i32)
  (call $storeList
    (local.get $at)
    (i32.load (local.get $table))
    (i32.mul (i32.load offset=4 (local.get $table)) (local.get $rowSize))))

;; Lists the code rows of 12 bytes from `row` on; rows of 16 bytes.
(func $listCodes (param $row i32) (param $count i32) (result i32)
  (local $rows i32)
  (local $next i32)
  (local.set $rows (call $scratch (i32.shl (local.get $count) (i32.const 4))))
  (local.set $next (local.get $rows))
  (block $listed
    (loop $code
      (br_if $listed (i32.eqz (local.get $count)))
      (call $storeList (local.get $next) (i32.load (local.get $row)) (i32.const 32))
      (call $storeList
        (i32.add (local.get $next) (i32.const 8))
        (i32.load offset=4 (local.get $row))
        (i32.load offset=8 (local.get $row)))
      (local.set $row (i32.add (local.get $row) (i32.const 12)))
      (local.set $next (i32.add (local.get $next) (i32.const 16)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $code)))
  (local.get $rows))

(func (export "lockstep:engine/engine#diff") (result i32)
  (local $area i32)
  (local $header i32)
  ;; A finished message stays finished: its logs and output lie elsewhere
  (call $abandon)
  (local.set $area (call $area))
  (local.set $header (call $diff))
  (call $storeTable (local.get $area) (local.get $header) (i32.const 92))
  (call $storeTable
    (i32.add (local.get $area) (i32.const 8))
    (i32.add (local.get $header) (i32.const 8))
    (i32.const 20))
  (call $storeTable
    (i32.add (local.get $area) (i32.const 16))
    (i32.add (local.get $header) (i32.const 16))
    (i32.const 84))
  (call $storeList
    (i32.add (local.get $area) (i32.const 24))
    (call $listCodes
      (i32.load offset=24 (local.get $header)) (i32.load offset=28 (local.get $header)))
    (i32.load offset=28 (local.get $header)))
  (local.get $area))

(func (export "lockstep:engine/engine#accessed") (result i32)
  (local $area i32)
  (local $header i32)
  (call $abandon)
  (local.set $area (call $area))
  (local.set $header (call $accessed))
  (call $storeTable (local.get $area) (local.get $header) (i32.const 20))
  (call $storeTable
    (i32.add (local.get $area) (i32.const 8))
    (i32.add (local.get $header) (i32.const 8))
    (i32.const 52))
  (local.get $area))
