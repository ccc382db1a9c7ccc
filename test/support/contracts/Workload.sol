// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

contract Child {
    uint256 public value;

    constructor(uint256 initial) payable {
        require(initial != 13, "unlucky");
        value = initial;
    }

    function leave(address payable heir) external {
        selfdestruct(heir);
    }

    function fail() external pure {
        revert("child fails");
    }
}

/// One function for each thing that a trace shows.
contract Workload {
    error Custom(uint256 code, address who);

    event Did(uint256 indexed kind, address indexed who, bytes data);

    mapping(uint256 => uint256) public slots;
    Child public last;

    receive() external payable {
        emit Did(0, msg.sender, "");
    }

    function store(uint256 key, uint256 value) public {
        slots[key] = value;
        slots[key + 1] = slots[key] + value;
    }

    function clear(uint256 key) external {
        delete slots[key];
        delete slots[key + 1];
    }

    function log(uint256 count, bytes calldata data) external {
        for (uint256 i = 0; i < count; i++) emit Did(i, msg.sender, data);
        assembly {
            log0(0, 32)
            log4(0, 0, 1, 2, 3, 4)
        }
    }

    function fail(uint256 kind) public view {
        if (kind == 0) revert();
        if (kind == 1) revert("asked to fail");
        if (kind == 2) assert(false);
        if (kind == 3) revert Custom(kind, msg.sender);
        if (kind == 4) slots[1 / (kind - 4)];
        if (kind == 5) assembly { invalid() }
        if (kind == 6) while (true) {}
        if (kind == 7) assembly { returndatacopy(0, 0, 1) }
    }

    function make(uint256 initial, bytes32 salt) external payable {
        last = salt == 0
            ? new Child{value: msg.value}(initial)
            : new Child{value: msg.value, salt: salt}(initial);
    }

    function tryMake(uint256 initial) external {
        try new Child(initial) returns (Child made) {
            last = made;
        } catch Error(string memory reason) {
            emit Did(1, msg.sender, bytes(reason));
        }
    }

    function unmake(address payable heir) external {
        if (address(last) != address(0)) last.leave(heir);
    }

    function attempt(uint256 kind, uint256 stipend) external {
        store(kind, stipend);
        (bool ok, bytes memory data) = address(this).call{gas: stipend}(
            abi.encodeCall(this.fail, (kind))
        );
        emit Did(ok ? 1 : 2, msg.sender, data);
    }

    function delegate(address target, bytes calldata data) external payable {
        (bool ok, bytes memory output) = target.delegatecall(data);
        emit Did(ok ? 1 : 2, target, output);
    }

    function recurse(uint256 depth) public {
        slots[depth] += 1;
        if (depth > 0) this.recurse(depth - 1);
    }

    function hash(bytes calldata data) external returns (bytes32 result) {
        result = sha256(data) ^ keccak256(data) ^ bytes32(ripemd160(data));
        result ^= bytes32(uint256(uint160(ecrecover(result, 27, result, result))));
        (, bytes memory power) = address(5).staticcall(
            abi.encode(uint256(32), uint256(1), uint256(32), result, uint8(3), type(uint256).max)
        );
        slots[uint256(result) % 7] = power.length;
    }

    function probe(address target) external returns (uint256 result) {
        result = target.code.length + uint256(target.codehash) % 97;
        bytes memory code = target.code;
        slots[3] = result + code.length + address(this).balance;
    }

    function transients(uint256 key, uint256 value) external returns (uint256 result) {
        assembly {
            tstore(key, value)
            result := add(tload(key), tload(add(key, 1)))
            mcopy(64, 0, 96)
        }
    }

    function pay(address payable to, uint256 amount) external payable {
        (bool ok, ) = to.call{value: amount}("");
        emit Did(ok ? 1 : 2, to, "");
    }
}
