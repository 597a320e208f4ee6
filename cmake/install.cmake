# cmake --install: the programs, the demo dataset, the desktop entry and the icons. LibTorch and Arrow are not copied:
# installed programs find them where the build did (their folders stay in the run path).
foreach(program tunebench tunebench-cli)
    if(TARGET ${program})
        install(TARGETS ${program})
    endif()
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/demo/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tunebench/demo)
if(TARGET tunebench)
    set(icons ${CMAKE_INSTALL_DATADIR}/icons/hicolor)
    install(FILES ${PROJECT_SOURCE_DIR}/resources/tunebench.desktop
        DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES ${PROJECT_SOURCE_DIR}/resources/icons/tunebench.svg DESTINATION ${icons}/scalable/apps)
    foreach(size 16 32 48 64 128 256)
        install(FILES ${PROJECT_SOURCE_DIR}/resources/icons/tunebench-${size}.png
            DESTINATION ${icons}/${size}x${size}/apps RENAME tunebench.png)
    endforeach()
endif()
