;; What the component of engine.wit has beside engine.wasm: the canonical ABI over its fixed buffers.
;; tools/component.ts appends these functions to the built module, whose exports they use by name.

;; Results stand behind those of the functions that the core module has and the component has not: `hash`,
;; `recover` and the peeks use at most 72 bytes at `resultAt`.
(func $area (result i32) (i32.add (global.get $resultAt) (i32.const 136)))

;; 1 from the end of a message to the beginning of the next.
(func $isDone (result i32) (i32.load offset=128 (global.get $resultAt)))
(func $setDone (param $done i32)
  (i32.store offset=128 (global.get $resultAt) (local.get $done)))

(func $abandonMessage (export "lockstep:engine/engine#abandon")
  (call $setDone (i32.const 0))
  (call $abandon))

;; Room for tables of results: that of a message, while none is running.
(func $scratch (param $size i32) (result i32)
  (if (i32.gt_u (local.get $size) (global.get $messageSize)) (then (unreachable)))
  (global.get $messageAt))

(func $storeList (param $at i32) (param $bytes i32) (param $length i32)
  (i32.store (local.get $at) (local.get $bytes))
  (i32.store offset=4 (local.get $at) (local.get $length)))

;; Every function takes one list, so one place is enough. A list that is longer than any answer can only
;; be a message, and begins another.
(func (export "cabi_realloc")
  (param $old i32) (param $oldSize i32) (param $align i32) (param $size i32) (result i32)
  (if (i32.le_u (local.get $size) (global.get $answerSize))
    (then (return (global.get $answerAt))))
  (call $abandonMessage)
  (call $scratch (local.get $size)))

(func (export "lockstep:engine/engine#begin-block")
  (param $at i32) (param $length i32) (result i32)
  (if (i32.ne (local.get $length) (i32.const 212)) (then (return (i32.const 0))))
  (call $setDone (i32.const 0))
  (memory.copy (global.get $blockAt) (local.get $at) (local.get $length))
  (call $beginBlock)
  (i32.const 1))

(export "lockstep:engine/engine#forget-code" (func $forgetCode))

;; Makes the address at `field` of the message one of the memory. False when `count` rows of `size` bytes
;; do not lie in the message there.
(func $relocate
  (param $field i32) (param $count i32) (param $size i64) (param $length i32) (result i32)
  (local $end i64)
  (local.set $end
    (i64.add
      (i64.extend_i32_u (i32.load (local.get $field)))
      (i64.mul (i64.extend_i32_u (i32.load (local.get $count))) (local.get $size))))
  (i32.store (local.get $field)
    (i32.add (i32.load (local.get $field)) (global.get $messageAt)))
  (i64.le_u (local.get $end) (i64.extend_i32_u (local.get $length))))

;; Whether the access list, already relocated, ends in the message: each row has 24 bytes and its keys.
(func $holdsAccessList (param $at i32) (param $count i32) (param $length i32) (result i32)
  (local $next i64)
  (local $end i64)
  (local.set $next (i64.extend_i32_u (local.get $at)))
  (local.set $end
    (i64.add
      (i64.extend_i32_u (global.get $messageAt)) (i64.extend_i32_u (local.get $length))))
  (block $held
    (loop $row
      (br_if $held (i32.eqz (local.get $count)))
      (local.set $next (i64.add (local.get $next) (i64.const 24)))
      (if (i64.gt_u (local.get $next) (local.get $end)) (then (return (i32.const 0))))
      (local.set $next
        (i64.add
          (local.get $next)
          (i64.shl
            (i64.extend_i32_u
              (i32.load (i32.sub (i32.wrap_i64 (local.get $next)) (i32.const 4))))
            (i64.const 5))))
      (if (i64.gt_u (local.get $next) (local.get $end)) (then (return (i32.const 0))))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $row)))
  (i32.const 1))

;; Fields of evm/context/message-layout.ts: the address of each part and its number of rows.
(func (export "lockstep:engine/engine#begin-transaction")
  (param $bytes i32) (param $length i32) (result i32)
  (local $message i32)
  (local.set $message (global.get $messageAt))
  (call $abandonMessage)
  (if (i32.lt_u (local.get $length) (i32.const 288)) (then (return (i32.const 0))))
  (memory.copy (local.get $message) (local.get $bytes) (local.get $length))
  (if
    (i32.eqz
      (i32.and
        (i32.and
          (call $relocate
            (i32.add (local.get $message) (i32.const 72))
            (i32.add (local.get $message) (i32.const 76))
            (i64.const 24)
            (local.get $length))
          (call $relocate
            (i32.add (local.get $message) (i32.const 80))
            (i32.add (local.get $message) (i32.const 84))
            (i64.const 192)
            (local.get $length)))
        (i32.and
          (call $relocate
            (i32.add (local.get $message) (i32.const 88))
            (i32.add (local.get $message) (i32.const 92))
            (i64.const 32)
            (local.get $length))
          (call $relocate
            (i32.add (local.get $message) (i32.const 96))
            (i32.add (local.get $message) (i32.const 100))
            (i64.const 1)
            (local.get $length)))))
    (then (return (i32.const 0))))
  (if
    (i32.eqz
      (call $holdsAccessList
        (i32.load offset=72 (local.get $message))
        (i32.load offset=76 (local.get $message))
        (local.get $length)))
    (then (return (i32.const 0))))
  (call $beginTransaction)
  (i32.const 1))

;; A status: its case (u8), and 8 bytes on what it is about, found at `needAt`.
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
    (call $storeList
      (i32.add (local.get $stop) (i32.const 40))
      (i32.add (local.get $need) (i32.const 64))
      (i32.const 32))
    (i32.store offset=48 (local.get $stop) (i32.load offset=52 (local.get $need)))
    (i32.store8 offset=52 (local.get $stop) (i32.load offset=40 (local.get $need))))
  (local.get $stop))

(func (export "lockstep:engine/engine#answer") (param $at i32) (param $length i32) (result i32)
  (call $answer (local.get $length)))

;; What came of an operation: 0, 1 with the bytes at `resultAt`, or 2 for a refusal.
(func (export "lockstep:engine/engine#perform")
  (param $at i32) (param $length i32) (result i32)
  (local $performed i32)
  (local.set $performed (call $perform (local.get $length)))
  (i32.store8
    (call $area)
    (select (i32.const 2) (local.get $performed) (i32.lt_s (local.get $performed) (i32.const 0))))
  (call $storeList
    (i32.add (call $area) (i32.const 4)) (global.get $resultAt) (i32.const 72))
  (call $area))

(func (export "lockstep:engine/engine#answer-host-call")
  (param $how i32) (param $gasUsed i64) (param $at i32) (param $length i32) (result i32)
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

;; OUTCOME of evm/message/message.ts: the five numbers stand as they do here.
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

;; The table that the header of evm/state/diff.ts has at `table`, as a list of bytes.
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
  ;; A message that is done stays so: its logs and output lie elsewhere
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
