// What engine.c calls of its worker.
mergeInto(LibraryManager.library, {
  web_mail: function (bytes, size, isText) { Module.mail(bytes, size, isText); },
});
