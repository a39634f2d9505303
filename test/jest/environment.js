const { ModuleMocker } = require('jest-mock');

// Whoever is first gives the process's `fetch` its connections, for good: a suite's own undici would end with that suite.
require('undici');

/** Events of the process that Jest itself lives by. */
const OF_JEST = ['message', 'disconnect', 'internalMessage', 'newListener', 'removeListener'];

const globalKeys = () => Reflect.ownKeys(globalThis);
const listenersOf = () =>
	process
		.eventNames()
		.flatMap((name) => (OF_JEST.includes(name) ? [] : process.rawListeners(name).map((listener) => ({ name, listener }))));

/** `promisify` asks for one. */
const withSymbols = (real, own) => Object.defineProperties(own, Object.getOwnPropertyDescriptors(real));

/** Its functions, and the stacks that lead to them. */
function forget({ hooks, children }) {
	for (const one of [...hooks, ...children]) {
		if (one.type === 'describeBlock') forget(one);
		else Object.assign(one, { fn: null, asyncError: null });
	}
}

/**
 * One realm for all suites of a worker, so that the packages they share know the errors, arrays, … of each (runtime.js).
 * What a suite leaves in the process is taken away behind it: globals, variables of the environment, listeners, timers.
 */
module.exports = class OneRealm {
	global = globalThis;
	moduleMocker = new ModuleMocker(globalThis);
	/** No test has them: waits run on `client/clock.ts`. */
	fakeTimers = null;
	fakeTimersModern = null;
	begun = new Set();

	before = { globals: new Set(globalKeys()), variables: { ...process.env }, listeners: listenersOf() };
	/** By Jest, for each suite. */
	replaced = { console, exit: process.exit, getBuiltinModule: process.getBuiltinModule };

	exportConditions() {
		return ['node', 'node-addons'];
	}

	/** None: in a realm of its own, a suite would not know the errors, arrays, … of packages. */
	getVmContext() {
		return null;
	}

	async setup() {}

	/**
	 * A timer keeps the test in which it began, as Jest tells it to whatever a test begins, and with the test its suite: those
	 * of `AbortSignal.timeout`, for hours.
	 */
	handleTestEvent({ name }, { rootDescribeBlock }) {
		if (name === 'teardown') forget(rootDescribeBlock);
	}

	/** For our own modules, in place of the process's: what still tries when its suite is over must not go on in the next. */
	timers = { setTimeout: this.rememberedBy('setTimeout'), setInterval: this.rememberedBy('setInterval') };

	/** Whatever stands for it in the process is called, so that it can be spied on; a spy may call this in turn. */
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

	/** Until it is garbage. */
	remembered(timer) {
		this.begun.add(new WeakRef(timer));
		return timer;
	}

	/** What a package does to the process stays, because it is loaded only once. */
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
