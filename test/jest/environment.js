const { ModuleMocker } = require('jest-mock');

// The first undici in a process provides the connections of `fetch`. One that belongs to a suite would end with the suite.
require('undici');

/** Events of the process that Jest itself uses. */
const OF_JEST = ['message', 'disconnect', 'internalMessage', 'newListener', 'removeListener'];

const globalKeys = () => Reflect.ownKeys(globalThis);
const listenersOf = () =>
	process
		.eventNames()
		.flatMap((name) => (OF_JEST.includes(name) ? [] : process.rawListeners(name).map((listener) => ({ name, listener }))));

/** Copies the symbol that `promisify` reads. */
const withSymbols = (real, own) => Object.defineProperties(own, Object.getOwnPropertyDescriptors(real));

/** Releases test functions, and the stacks of their definitions. */
function forget({ hooks, children }) {
	for (const one of [...hooks, ...children]) {
		if (one.type === 'describeBlock') forget(one);
		else Object.assign(one, { fn: null, asyncError: null });
	}
}

/**
 * One realm for all suites of a worker, so that shared packages recognize the errors and arrays of each suite (runtime.js).
 * After a suite, its globals, environment variables, listeners and timers are removed.
 */
module.exports = class OneRealm {
	global = globalThis;
	moduleMocker = new ModuleMocker(globalThis);
	/** Not used: waits run on `client/async/clock.ts`. */
	fakeTimers = null;
	fakeTimersModern = null;
	begun = new Set();

	before = { globals: new Set(globalKeys()), variables: { ...process.env }, listeners: listenersOf() };
	/** Values that Jest replaces for each suite. */
	replaced = { console, exit: process.exit, getBuiltinModule: process.getBuiltinModule };

	exportConditions() {
		return ['node', 'node-addons'];
	}

	/** None: in a separate realm, a suite would not recognize the errors and arrays of packages. */
	getVmContext() {
		return null;
	}

	async setup() {}

	/**
	 * Jest attaches the current test to everything that a test starts. A timer of `AbortSignal.timeout` would keep the test and
	 * its suite in memory for hours.
	 */
	handleTestEvent({ name }, { rootDescribeBlock }) {
		if (name === 'teardown') forget(rootDescribeBlock);
	}

	/** Replaces the timers in our own modules, so that retries of a finished suite do not run during the next one. */
	timers = { setTimeout: this.rememberedBy('setTimeout'), setInterval: this.rememberedBy('setInterval') };

	/** Calls the current global function, so that tests can spy on it. A spy may call this function in turn. */
	rememberedBy(name) {
		const real = globalThis[name];
		let isCalling = false;
		return withSymbols(real, (...given) => {
			if (isCalling) return real(...given);
			isCalling = true;
			try {
				return this.remembered(globalThis[name](...given));
			} finally {
				isCalling = false;
			}
		});
	}

	/** Remembers the timer without keeping it in memory. */
	remembered(timer) {
		this.begun.add(new WeakRef(timer));
		return timer;
	}

	/** Globals and variables that a package sets stay, because it is loaded only once. */
	loadPackage(path) {
		if (path in require.cache) return require(path);
		const [keys, variables] = [new Set(globalKeys()), { ...process.env }];
		const loaded = require(path);
		for (const key of globalKeys()) if (!keys.has(key)) this.before.globals.add(key);
		for (const [name, value] of Object.entries(process.env)) if (variables[name] !== value) this.before.variables[name] = value;
		return loaded;
	}

	async teardown() {
		for (const timer of this.begun) clearTimeout(timer.deref());
		const { globals, variables, listeners } = this.before;
		for (const key of globalKeys()) if (!globals.has(key)) Reflect.deleteProperty(globalThis, key);
		for (const name of Object.keys(process.env)) if (!(name in variables)) Reflect.deleteProperty(process.env, name);
		Object.assign(process.env, variables);
		for (const { name, listener } of listenersOf()) {
			if (!listeners.some((one) => one.name === name && one.listener === listener)) process.removeListener(name, listener);
		}
		const { console, ...ofProcess } = this.replaced;
		Object.assign(globalThis, { console });
		Object.assign(process, ofProcess);
	}
};
