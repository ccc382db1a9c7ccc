//! revm in a process of its own, for the engine's benchmark. Each line of standard input is a request as JSON:
//! {"load": {"runtime", "storage", "calldata"}} sets the contract of the calls that follow, and {"call": milliseconds}
//! repeats the call for at least that long. The answer to a call is a line {"ms", "out"}: the time of one call, and its
//! output.
use revm::context::TxEnv;
use revm::context_interface::result::ExecutionResult;
use revm::database::{CacheDB, EmptyDB};
use revm::primitives::{hardfork::SpecId, hex, Address, Bytes, TxKind, U256};
use revm::state::{AccountInfo, Bytecode};
use revm::{Context, ExecuteEvm, MainBuilder, MainContext};
use std::io::{BufRead, Write};
use std::str::FromStr;
use std::time::Instant;

const GAS: u64 = 1 << 40;

fn bytes(value: &serde_json::Value) -> Bytes {
    Bytes::from(hex::decode(value.as_str().expect("hex")).expect("hex"))
}

fn main() {
    let sender = Address::from_str("0x0000000000000000000000000000000000001111").unwrap();
    let contract = Address::from_str("0x0000000000000000000000000000000000002222").unwrap();
    let mut db = CacheDB::new(EmptyDB::default());
    let mut data = Bytes::new();
    let mut output = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let request: serde_json::Value = serde_json::from_str(&line.unwrap()).expect("JSON");
        if let Some(case) = request.get("load") {
            db = CacheDB::new(EmptyDB::default());
            let code = Bytecode::new_raw(bytes(&case["runtime"]));
            let info = AccountInfo { nonce: 1, balance: U256::from(5), code_hash: code.hash_slow(), code: Some(code), ..Default::default() };
            db.insert_account_info(contract, info);
            db.insert_account_info(sender, AccountInfo { balance: U256::MAX >> 8, ..Default::default() });
            for (slot, value) in case["storage"].as_object().into_iter().flatten() {
                let key = U256::from_str(slot).unwrap();
                let word = U256::from_str(value.as_str().unwrap()).unwrap();
                db.insert_account_storage(contract, key, word).unwrap();
            }
            data = bytes(&case["calldata"]);
            continue;
        }
        let least = request["call"].as_f64().expect("milliseconds");
        let mut evm = Context::mainnet()
            .with_db(&mut db)
            .modify_cfg_chained(|cfg| {
                cfg.set_spec_and_mainnet_gas_params(SpecId::PRAGUE);
                cfg.disable_nonce_check = true;
                cfg.tx_gas_limit_cap = Some(u64::MAX);
            })
            .modify_block_chained(|block| {
                block.gas_limit = u64::MAX;
                block.basefee = 0;
            })
            .build_mainnet();
        let started = Instant::now();
        let mut calls = 0u32;
        let mut out = Bytes::new();
        while calls == 0 || started.elapsed().as_secs_f64() * 1000.0 < least {
            let tx = TxEnv::builder()
                .caller(sender)
                .kind(TxKind::Call(contract))
                .data(data.clone())
                .gas_limit(GAS)
                .gas_price(0)
                .build()
                .unwrap();
            match evm.transact(tx).expect("a valid transaction").result {
                ExecutionResult::Success { output, .. } => out = output.into_data(),
                other => panic!("{other:?}"),
            }
            calls += 1;
        }
        let ms = started.elapsed().as_secs_f64() * 1000.0 / f64::from(calls);
        writeln!(output, "{}", serde_json::json!({ "ms": ms, "out": hex::encode_prefixed(&out) })).unwrap();
        output.flush().unwrap();
    }
}
