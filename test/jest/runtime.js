const { isBuiltin } = require('node:module');
const { sep } = require('node:path');
const { compileFunction } = require('node:vm');

const Runtime = require('jest-runtime').default;

const { dependencies } = require('../../package.json');

const PACKAGES = `${sep}node_modules${sep}`;

/** Packages that we ship count as our own modules. */
const isShared = (path) => {
	const [, inPackages] = path.split(PACKAGES);
	return inPackages !== undefined && !Object.keys(dependencies).some((name) => inPackages.startsWith(name + sep));
};

/** By path and parameters, the compiled function of a module and its source. */
const compiledModules = new Map();

/** Compiles each module once for all suites of a worker. If every suite compiled it, V8 would also optimize it in every suite. */
function compileOnce(source, parameters, filename) {
	const key = [filename, ...parameters].join('\0');
	const known = compiledModules.get(key);
	if (known?.source === source) return known.compiled;
	const compiled = compileFunction(source, parameters, { filename });
	compiledModules.set(key, { source, compiled });
	return compiled;
}

/**
 * Every suite evaluates our own modules again. Node itself loads the packages for development, once for all suites of a
 * worker, because n8n's engine takes longer to load than most suites take to run. Both sides recognize each other's errors
 * only in one realm (environment.js).
 */
module.exports = class SharedPackages extends Runtime {
	constructor(config, environment, ...others) {
		super(config, environment, ...others);
		this.environment = environment;
		const { executor } = this;
		const { injectedModuleParameters: parameters } = executor;
		executor.compile = (source, filename) => {
			if (filename.includes(PACKAGES)) return compileOnce(source, parameters, filename);
			const compiled = compileOnce(source, [...parameters, ...Object.keys(environment.timers)], filename);
			return function (...given) {
				return compiled.call(this, ...given, ...Object.values(environment.timers));
			};
		};
	}

	requireModule(from, moduleName, options, isRequireActual) {
		if (moduleName !== undefined && !options?.isInternalModule && !isBuiltin(moduleName)) {
			const path = this._resolution.resolveCjs(from, moduleName);
			if (isShared(path)) return this.environment.loadPackage(path);
		}
		return super.requireModule(from, moduleName, options, isRequireActual);
	}
};
