/** The package has no types for its front end, which is loaded for what it does. */
declare module 'anywidget';
