# installation comes with the packaging
